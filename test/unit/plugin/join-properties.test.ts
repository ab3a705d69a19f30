// What holds for every cluster, whatever its parts say about each other.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adviceFor } from '../../../plugin/usb/advice.ts';
import { type DeviceRow, joinDevices } from '../../../plugin/usb/device-row.ts';
import type { UsbFacts } from '../../../plugin/usb/facts.ts';
import { deviceKey, holdsByDevice } from '../../../plugin/usb/hold.ts';
import { changedRows } from '../../../plugin/usb/row-changes.ts';
import { showPage } from '../../../plugin/usb/show-page.ts';
import { statusList } from '../../../plugin/usb/status-list.ts';
import { anyFacts } from './facts-arbitrary.ts';
import { NOW } from './lab-facts.ts';

const keyOf = ({ node, name }: DeviceRow) => deviceKey(node, name);

function forAll(check: (facts: UsbFacts, rows: DeviceRow[]) => void): void {
  fc.assert(fc.property(anyFacts, (facts) => check(facts, joinDevices(facts, NOW))));
}

describe('joinDevices, for any cluster', () => {
  it('has one row for each plugged device and for each held one, and no other', () => {
    forAll((facts, rows) => {
      const plugged = facts.statuses.flatMap(({ metadata, status }) =>
        (status?.devices ?? []).map(({ name }) => deviceKey(metadata.name, name)),
      );
      const wanted = new Set([...plugged, ...holdsByDevice(facts).keys()]);
      expect(rows.map(keyOf).sort()).toEqual([...wanted].sort());
    });
  });

  it('shows as Available or Blocked only what nobody holds, as Absent only what somebody holds', () => {
    forAll((_, rows) => {
      for (const { state, hold, device } of rows) {
        if (state === 'Available' || state === 'Blocked') expect(hold).toBeUndefined();
        if (state === 'Assigned' || state === 'Attached') expect(hold).toBeDefined();
        if (state === 'Absent') expect([device, hold === undefined]).toEqual([undefined, false]);
      }
    });
  });

  it('shows a row as Unreachable exactly when it has the reason', () => {
    forAll((_, rows) => {
      for (const { state, unreachable } of rows)
        expect(state === 'Unreachable').toBe(unreachable !== undefined);
    });
  });

  it('shows a device of a reachable node as Attached when a node reports that it is', () => {
    forAll(({ statuses }, rows) => {
      const attached = statuses.flatMap(({ status }) =>
        (status?.attachments ?? []).filter(({ state }) => state === 'Attached'),
      );
      for (const { pool, device } of attached) {
        const row = rows.find((one) => keyOf(one) === deviceKey(pool, device));
        expect(['Attached', 'Absent', 'Unreachable']).toContain(row?.state);
      }
    });
  });

  it('has the same rows in the same order however nodes and reports are listed', () => {
    forAll((facts, rows) => {
      const turned = { ...facts, nodes: facts.nodes?.toReversed(), statuses: facts.statuses.toReversed() };
      expect(joinDevices(turned, NOW).map(keyOf)).toEqual(rows.map(keyOf));
    });
  });

  it('never loses a device when claims or nodes may not be listed', () => {
    forAll((facts, rows) => {
      const fewer = joinDevices({ statuses: facts.statuses }, NOW);
      const plugged = rows.filter(({ device }) => device !== undefined);
      expect(fewer.map(keyOf)).toEqual(expect.arrayContaining(plugged.map(keyOf)));
    });
  });
});

describe('changedRows, for any two clusters', () => {
  it('applied to what was printed gives what is there now', () => {
    fc.assert(
      fc.property(anyFacts, anyFacts, (one, other) => {
        const [before, after] = [joinDevices(one, NOW), joinDevices(other, NOW)];
        const screen = new Map(before.map((row) => [keyOf(row), row]));
        const now = new Set(after.map(keyOf));
        for (const row of changedRows(before, after)) screen.set(keyOf(row), row);
        for (const row of after) {
          const { state, device, hold } = screen.get(keyOf(row)) ?? {};
          expect([state, device, hold?.claim]).toEqual([row.state, row.device, row.hold?.claim]);
        }
        for (const [key, { state }] of screen) if (!now.has(key)) expect(state).toBe('Absent');
      }),
    );
  });

  it('is nothing for the same cluster a little later', () => {
    forAll((facts, rows) => {
      expect(changedRows(rows, joinDevices(facts, NOW + 100))).toEqual([]);
    });
  });
});

describe('what is printed, for any cluster', () => {
  it('is a page and advice without holes', () => {
    forAll(({ statuses }, rows) => {
      for (const row of rows) {
        const page = showPage({ row, statuses, events: [], now: NOW });
        expect(page).toContain(`State:`);
        expect(page + Object.values(adviceFor(row)).join()).not.toMatch(/undefined|NaN|\[object/);
      }
    });
  });

  it('is a List that holds each plugged device once', () => {
    forAll(({ statuses }, rows) => {
      const { items } = statusList(statuses, new Set(rows.map(keyOf)));
      const listed = items.flatMap(({ metadata, status }) =>
        (status?.devices ?? []).map(({ name }) => deviceKey(metadata.name, name)),
      );
      expect(listed.sort()).toEqual(
        rows
          .filter(({ device }) => device)
          .map(keyOf)
          .sort(),
      );
    });
  });
});
