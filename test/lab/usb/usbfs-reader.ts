// A small program in a pod that uses a USB device by usbfs, as a VM monitor does: claims its interface, reads the device
// descriptor and one report of the interrupt endpoint, and prints both.
import { constants, openSync, readdirSync, readSync } from 'node:fs';
import koffi from 'koffi';

const libc = koffi.load('libc.so.6');
const ioctl = libc.func('int ioctl(int, unsigned long, _Inout_ void *)');

/** Numbers and layouts of linux/usbdevice_fs.h on a 64-bit machine. */
const USBDEVFS_CLAIMINTERFACE = 0x8004550f;
const USBDEVFS_BULK = 0xc0185502;
const INTERRUPT_IN = 0x81;
const REPORT = 8;
const PATIENCE = 30_000;

function claim(descriptor: number, number: number): void {
  const argument = Buffer.alloc(4);
  argument.writeUInt32LE(number);
  if (ioctl(descriptor, USBDEVFS_CLAIMINTERFACE, argument) < 0) {
    throw new Error(`claiming interface ${number} failed: errno ${koffi.errno()}`);
  }
}

/** USBDEVFS_BULK serves interrupt endpoints too: endpoint, length, milliseconds, pointer. */
function readEndpoint(descriptor: number): Buffer {
  const data = Buffer.alloc(REPORT);
  const transfer = Buffer.alloc(24);
  transfer.writeUInt32LE(INTERRUPT_IN, 0);
  transfer.writeUInt32LE(REPORT, 4);
  transfer.writeUInt32LE(PATIENCE, 8);
  transfer.writeBigUInt64LE(BigInt(koffi.address(data)), 16);
  const length = ioctl(descriptor, USBDEVFS_BULK, transfer);
  if (length < 0) throw new Error(`reading the endpoint failed: errno ${koffi.errno()}`);
  return data.subarray(0, length);
}

const [bus = ''] = readdirSync('/dev/bus/usb');
const [device = ''] = readdirSync(`/dev/bus/usb/${bus}`);
const descriptor = openSync(`/dev/bus/usb/${bus}/${device}`, constants.O_RDWR);
const head = Buffer.alloc(18);
readSync(descriptor, head, 0, head.length, 0);
const hex = (value: number) => value.toString(16).padStart(4, '0');
console.log(`device ${hex(head.readUInt16LE(8))}:${hex(head.readUInt16LE(10))}`);
claim(descriptor, 0);
console.log('waiting for a report');
console.log(`report ${readEndpoint(descriptor).toString('hex')}`);
setInterval(() => {}, 60_000);
