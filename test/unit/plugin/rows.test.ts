// Single cells of the table and single lines of the page, where something is missing or odd.
import { describe, expect, it } from 'vitest';
import type { DeviceRow } from '../../../plugin/usb/device-row.ts';
import { tableColumns, wideColumns } from '../../../plugin/usb/row-columns.ts';
import { showPage } from '../../../plugin/usb/show-page.ts';
import { ago, DISK, deviceOf, NOW, statusOf } from './lab-facts.ts';

const claim = { namespace: 'lab', name: 'disk', uid: 'u' };
const free: DeviceRow = { name: DISK, node: 'n1', state: 'Available', device: deviceOf(DISK), since: ago(5) };

function cell(header: string, row: DeviceRow): string {
  const column = wideColumns(NOW).find((one) => one.header === header);
  const value = column?.cell(row) ?? 'no such column';
  return typeof value === 'string' ? value : value.text;
}

describe('cells', () => {
  it('show the namespaces that a free device is offered to', () => {
    expect(cell('NAMESPACE', free)).toBe('<any>');
    expect(cell('NAMESPACE', { ...free, device: deviceOf(DISK, { namespaces: ['a', 'b'] }) })).toBe('a,b');
    expect(cell('NAMESPACE', { ...free, device: deviceOf(DISK, { namespaces: [] }) })).toBe('<none>');
    expect(cell('NAMESPACE', { ...free, device: deviceOf(DISK, { verdict: 'Blocked' }) })).toBe('<none>');
  });

  it('show the namespace of the holder, and that it is not known', () => {
    const hold = { node: 'n1', device: DISK, pods: [] };
    expect(cell('NAMESPACE', { ...free, hold: { ...hold, claim } })).toBe('lab');
    expect(cell('NAMESPACE', { ...free, hold })).toBe('<unknown>');
  });

  it('tell missing texts of a device from a device that is not plugged', () => {
    const absent = { ...free, device: undefined };
    expect([cell('SERIAL', free), cell('SERIAL', absent)]).toEqual(['<none>', '<unknown>']);
    expect([cell('PRODUCT', free), cell('PRODUCT', absent)]).toEqual(['<none>', '<unknown>']);
    for (const header of ['ID', 'SPEED', 'BUSID', 'PORT', 'CLASS', 'RULE']) {
      expect(cell(header, absent)).toBe('<unknown>');
    }
  });

  it('show no transport for a free device and that of the export where only this is known', () => {
    expect(cell('TRANSPORT', free)).toBe('<none>');
    const exported = { device: DISK, busID: '1-1', peer: 'n2', transport: 'plain' as const, since: ago(1) };
    const hold = { node: 'n1', device: DISK, pods: [], exported };
    expect(cell('TRANSPORT', { ...free, hold })).toBe('plain');
  });

  it('never pass on what could steer a terminal', () => {
    const evil = '\u001b[2J\n\u202e';
    const device = deviceOf(DISK, { product: evil, serial: evil, rule: evil, port: evil, busID: evil });
    for (const { header } of wideColumns(NOW)) {
      expect(cell(header, { ...free, device, node: evil, name: evil })).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  });

  it('let only the product give way on a narrow terminal', () => {
    const columns = tableColumns(({ name }) => name, NOW);
    expect(columns.filter(({ givesWay }) => givesWay).map(({ header }) => header)).toEqual(['PRODUCT']);
  });
});

describe('the page', () => {
  const page = (row: DeviceRow, statuses = [statusOf('n1', { devices: [deviceOf(DISK)] })]) =>
    showPage({ row, statuses, events: [], now: NOW });

  it('joins manufacturer and product, whichever there is', () => {
    const named = (given: { manufacturer?: string; product?: string }) =>
      /^Product: +(.*)$/m.exec(page({ ...free, device: deviceOf(DISK, given) }))?.[1];
    expect(named({ manufacturer: 'Kingston', product: 'Disk' })).toBe('Kingston Disk');
    expect(named({ manufacturer: 'Kingston' })).toBe('Kingston');
    expect(named({ product: 'Disk' })).toBe('Disk');
    expect(named({})).toBe('<none>');
  });

  it('explains the form of the identity', () => {
    const form = (given: Parameters<typeof deviceOf>[1]) =>
      /^ +Form: +(\w+): (.*)$/m.exec(page({ ...free, device: deviceOf(DISK, given) }))?.slice(1);
    expect(form({ identityForm: 'serial' })).toEqual(['serial', expect.stringMatching(/every port/)]);
    expect(form({ identityForm: 'port' })).toEqual(['port', expect.stringMatching(/no serial/)]);
    expect(form({ identityForm: 'port', duplicateSerial: true })).toEqual([
      'port',
      expect.stringMatching(/another device/),
    ]);
  });

  it('says that a node has not reported', () => {
    const text = page({ ...free, state: 'Unreachable', unreachable: 'gone', device: undefined }, []);
    expect(text).toMatch(/Last report: +<none>/);
    expect(text).not.toContain('Ports for');
  });

  it('shows the ports of both nodes of a remote device, and of one node once', () => {
    const attachment = {
      claim,
      device: DISK,
      pool: 'n1',
      mode: 'driver' as const,
      transport: 'plain' as const,
      vhciPort: 0,
      busID: '5-1',
      state: 'Attached' as const,
      since: ago(5),
    };
    const statuses = [statusOf('n1'), statusOf('n2'), statusOf('n3')];
    const held = (consumer: string): DeviceRow => ({
      ...free,
      state: 'Attached',
      hold: { node: 'n1', device: DISK, claim, pods: [], attachment, consumer },
    });
    const ports = (text: string) => text.match(/^ +n\d: +high speed/gm)?.length;
    expect([ports(page(held('n2'), statuses)), ports(page(held('n1'), statuses))]).toEqual([2, 1]);
    expect(page(held('n2'), statuses)).toMatch(/Vhci port: +0\n +Bus ID there: +5-1\n/);
  });

  it('shows no second bus id for a device that is used where it is plugged', () => {
    const attachment = {
      claim,
      device: DISK,
      pool: 'n1',
      mode: 'usbfs' as const,
      transport: 'local' as const,
      busID: '3-2',
      state: 'Attached' as const,
      since: ago(5),
    };
    const hold = { node: 'n1', device: DISK, claim, pods: [], attachment, consumer: 'n1' };
    expect(page({ ...free, state: 'Attached', hold })).not.toContain('Bus ID there');
  });
});
