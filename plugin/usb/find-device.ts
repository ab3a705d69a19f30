// The one device that a person means, or an error that says which ones it could be.
import { TypedError } from '../../proto/api/typed-error.ts';
import { safeText } from '../output/safe-text.ts';
import { textWidth } from '../output/text-width.ts';
import type { Select } from '../run/host.ts';
import { editDistance } from '../run/nearest.ts';
import { candidateOf } from './candidate.ts';
import type { DeviceRow } from './device-row.ts';

const SHOWN_NEAR = 3;

/** Throws AMBIGUOUS with all matches, DEVICE_NOT_FOUND with the nearest ones, USAGE for an empty selector. */
export function findDevice(selector: string, rows: readonly DeviceRow[], select: Select): DeviceRow {
  // What matches is the policy's decision alone, so that a rule and a command line mean the same device.
  const found = select(selector, rows.map(candidateOf)).flatMap((index) => rows[index] ?? []);
  const [device, ...others] = found;
  if (device && others.length === 0) return device;
  const quoted = JSON.stringify(selector);
  if (device) {
    throw new TypedError(
      'AMBIGUOUS',
      `${quoted} matches ${found.length} devices`,
      `give one of these names:\n${listing(found)}`,
    );
  }
  if (rows.length === 0) {
    throw new TypedError('DEVICE_NOT_FOUND', `no device matches ${quoted}`, 'no node reports a USB device');
  }
  const near = nearestRows(selector, rows);
  throw new TypedError(
    'DEVICE_NOT_FOUND',
    `no device matches ${quoted}`,
    near.length > 0
      ? `the nearest ones are:\n${listing(near)}`
      : '"kubectl virt usb list" shows all devices; give a name, vid:pid, serial, node/busid or words of the product',
  );
}

/** Rows of which something is within half of the selector's length in edits, nearest first. */
function nearestRows(selector: string, rows: readonly DeviceRow[]): DeviceRow[] {
  const wanted = selector.toLowerCase();
  return rows
    .map((row) => ({
      row,
      distance: Math.min(...handles(row, wanted.length).map((one) => editDistance(wanted, one))),
    }))
    .filter(({ distance }) => distance <= wanted.length / 2)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, SHOWN_NEAR)
    .map(({ row }) => row);
}

/** What a person could have typed for a row; of a name only as much as was typed. */
function handles({ name, node, device }: DeviceRow, length: number): string[] {
  const texts = device
    ? [`${device.vendorID}:${device.productID}`, device.serial, `${node}/${device.busID}`, device.product]
    : [];
  const words = device?.product?.split(/\s+/) ?? [];
  // A first digit or two in common says nothing: all names begin with `usb-`.
  const beginning = length > 'usb-'.length + 2 ? [name.slice(0, length)] : [];
  return [...beginning, ...texts, ...words]
    .filter((text) => text !== undefined)
    .map((text) => text.toLowerCase());
}

function listing(rows: readonly DeviceRow[]): string {
  const width = Math.max(...rows.map(({ node }) => textWidth(node)));
  return rows
    .map(({ name, node, device }) => {
      const product = safeText(
        device?.product ?? (device ? `${device.vendorID}:${device.productID}` : 'not plugged'),
      );
      return `  ${name}  ${node}${' '.repeat(width - textWidth(node))}  ${product}`;
    })
    .join('\n');
}
