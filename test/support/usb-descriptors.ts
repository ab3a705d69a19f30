// Raw descriptors of a made-up USB device, laid out as the USB 2.0 and 3.2 specifications say (chapter 9).
import type { UsbDeviceSpec, UsbInterfaceSpec } from './usb-spec.ts';

/** The device descriptor and every configuration with its interfaces and one bulk endpoint for each setting. */
export function buildDescriptors(spec: UsbDeviceSpec): Uint8Array {
  const superSpeed = spec.speed >= 5000;
  const device = Buffer.alloc(18);
  device.set([18, 1, 0, superSpeed ? 3 : 2, spec.deviceClass ?? 0, spec.deviceSubClass ?? 0]);
  device.set([spec.deviceProtocol ?? 0, superSpeed ? 9 : 64], 6);
  device.writeUInt16LE(spec.vendorId, 8);
  device.writeUInt16LE(spec.productId, 10);
  device.writeUInt16LE(spec.bcdDevice ?? 0x0100, 12);
  const strings = [spec.manufacturer, spec.product, spec.serial];
  device.set(
    [...strings.map((text, index) => (text === undefined ? 0 : index + 1)), spec.configurations.length],
    14,
  );
  return Buffer.concat([
    device,
    ...spec.configurations.map(({ value, interfaces }) => configuration(value, interfaces, superSpeed)),
  ]);
}

function configuration(value: number, faces: readonly UsbInterfaceSpec[], superSpeed: boolean): Buffer {
  const settings = faces.flatMap((face, number) =>
    [face, ...(face.alternates ?? [])].map((setting, alternate) =>
      Buffer.concat([
        Buffer.of(9, 4, number, alternate, 1, setting.class, setting.subClass, setting.protocol, 0),
        Buffer.of(7, 5, 0x81 + number, 2, 0, superSpeed ? 4 : 2, 0),
        ...(superSpeed ? [Buffer.of(6, 0x30, 0, 0, 0, 0)] : []),
      ]),
    ),
  );
  const header = Buffer.of(9, 2, 0, 0, faces.length, value, 0, 0x80, 50);
  const whole = Buffer.concat([header, ...settings]);
  whole.writeUInt16LE(whole.length, 2);
  return whole;
}
