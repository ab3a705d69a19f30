// Plans an emulated USB device: the shell script that makes it through configfs.
import { EMULATED_CONTROLLERS } from './kernel-arguments.ts';

export type GadgetKind = 'storage' | 'hid' | 'acm' | 'loopback';
export type GadgetSpeed = 'low' | 'full' | 'high' | 'super';

export interface GadgetSpec {
  /** Name of the gadget on its node; letters, digits and dashes. Not visible to the USB host. */
  readonly name: string;
  readonly kind: GadgetKind;
  /** Number of the emulated controller that it is plugged into, 0 to 9. One gadget each. */
  readonly udc: number;
  /** Fastest speed that the device speaks; default super. A low-speed device can only be a HID. */
  readonly speed?: GadgetSpeed;
  /**
   * String descriptors: text or raw bytes (up to 126 UTF-16 units, no NUL; one line end at the very end is dropped by
   * the kernel). null: the device has none. Default: manufacturer "Lab", product "Lab <kind>", serial = `name`.
   * Bytes that are not UTF-8 make the device refuse that string, as faulty hardware does: Linux then shows none,
   * and it can never show bytes that are not UTF-8.
   */
  readonly manufacturer?: string | Uint8Array | null;
  readonly product?: string | Uint8Array | null;
  readonly serial?: string | Uint8Array | null;
  /** Default: those of a common device of that kind. */
  readonly vendorId?: number;
  readonly productId?: number;
  /** Device release, binary coded decimal; default 0x0100. */
  readonly release?: number;
  /** For storage: the file on the node that is the medium. */
  readonly file?: string;
}

interface Kind {
  readonly vendorId: number;
  readonly productId: number;
  readonly function: string;
  readonly settings: (spec: GadgetSpec) => Attribute[];
}

type Attribute = readonly [file: string, value: string | Uint8Array];

/** Report descriptor of a keyboard with 8-byte reports (HID 1.11, appendix E.6). */
const KEYBOARD = Buffer.from(
  '05010906a101050719e029e715002501750195088102950175088103950575010508190129059102' +
    '95017503910395067508150025650507190029658100c0',
  'hex',
);

const KINDS: Record<GadgetKind, Kind> = {
  storage: {
    vendorId: 0x46f4,
    productId: 0x0001,
    function: 'mass_storage.0',
    settings: ({ name, file }) => {
      if (!file) throw new RangeError(`gadget ${name}: storage needs a file`);
      return [['lun.0/file', file]];
    },
  },
  hid: {
    vendorId: 0x0627,
    productId: 0x0001,
    function: 'hid.0',
    settings: () => [
      ['protocol', '1'],
      ['subclass', '1'],
      ['report_length', '8'],
      ['report_desc', KEYBOARD],
    ],
  },
  acm: { vendorId: 0x0525, productId: 0xa4a7, function: 'acm.0', settings: () => [] },
  loopback: { vendorId: 0x0525, productId: 0xa4a0, function: 'Loopback.0', settings: () => [] },
};

export const GADGETS = '/sys/kernel/config/usb_gadget';

/** Bash that makes the gadget, unplugged; throws RangeError for what no gadget can be. */
export function makeScript(spec: GadgetSpec): string {
  check(spec);
  const kind = KINDS[spec.kind];
  const hex = (value: number) => `0x${value.toString(16).padStart(4, '0')}`;
  const strings = stringsOf(spec).flatMap(([file, value]): Attribute[] =>
    value === null ? [] : [[`strings/0x409/${file}`, value]],
  );
  const attributes: Attribute[] = [
    ['idVendor', hex(spec.vendorId ?? kind.vendorId)],
    ['idProduct', hex(spec.productId ?? kind.productId)],
    ['bcdDevice', hex(spec.release ?? 0x0100)],
    ['max_speed', `${spec.speed ?? 'super'}-speed`],
    ...strings,
    ...kind.settings(spec).map(([file, value]): Attribute => [`functions/${kind.function}/${file}`, value]),
  ];
  return [
    'set -e',
    `mkdir ${GADGETS}/${spec.name}`,
    `cd ${GADGETS}/${spec.name}`,
    `mkdir configs/c.1 functions/${kind.function}`,
    ...(strings.length > 0 ? ['mkdir strings/0x409'] : []),
    ...attributes.map(([file, value]) => writeScript(file, value)),
    `ln -s functions/${kind.function} configs/c.1/`,
  ].join('\n');
}

/** Bash that plugs a gadget into a controller. */
export function plugScript(name: string, udc: number): string {
  return `echo dummy_udc.${udc} >${GADGETS}/${name}/UDC`;
}

/** Bash that unplugs a gadget; unplugging twice is harmless. */
export function unplugScript(name: string): string {
  return `[ -z "$(cat ${GADGETS}/${name}/UDC)" ] || echo >${GADGETS}/${name}/UDC`;
}

/** Bash that unplugs and removes a gadget. */
export function removeScript(name: string): string {
  const folder = `${GADGETS}/${name}`;
  return [
    'set -e',
    unplugScript(name),
    `rm ${folder}/configs/c.1/*.*`,
    `rmdir ${folder}/configs/c.1 ${folder}/functions/*`,
    `for s in ${folder}/strings/*; do [ ! -d $s ] || rmdir $s; done`,
    `rmdir ${folder}`,
  ].join('\n');
}

/** One write of the exact bytes: configfs takes each write as a whole value. */
function writeScript(file: string, value: string | Uint8Array): string {
  return `base64 -d <<<${Buffer.from(value).toString('base64')} >${file}`;
}

function stringsOf(spec: GadgetSpec): [file: string, value: string | Uint8Array | null][] {
  return [
    ['manufacturer', spec.manufacturer === undefined ? 'Lab' : spec.manufacturer],
    ['product', spec.product === undefined ? `Lab ${spec.kind}` : spec.product],
    ['serialnumber', spec.serial === undefined ? spec.name : spec.serial],
  ];
}

function check(spec: GadgetSpec): void {
  const fail = (problem: string): never => {
    throw new RangeError(`gadget ${spec.name}: ${problem}`);
  };
  if (!/^[A-Za-z0-9-]+$/.test(spec.name)) fail('its name may hold letters, digits and dashes only');
  if (!(spec.udc >= 0 && spec.udc < EMULATED_CONTROLLERS)) fail(`there is no controller ${spec.udc}`);
  if (spec.speed === 'low' && spec.kind !== 'hid') fail('only a HID can be of low speed');
  const values = stringsOf(spec).map(([, value]) => value);
  // The kernel looks strings up in this order and stops at the first that is missing.
  const firstNull = values.indexOf(null);
  if (firstNull >= 0 && values.slice(firstNull).some((value) => value !== null)) {
    fail('a string may be null only when those after it (manufacturer, product, serial) are');
  }
  for (const value of values) {
    if (value === null) continue;
    const bytes = Buffer.from(value);
    if (bytes.length === 0 || bytes.includes(0)) fail('a string may neither be empty nor hold NUL');
    if (typeof value === 'string' && value.length > 126) fail('a string has at most 126 UTF-16 units');
  }
}
