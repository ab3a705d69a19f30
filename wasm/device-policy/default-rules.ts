// The rules after those of the administrator: what is blocked unless somebody asks for it.
import type { UsbInterface } from '../gen/device-policy/interfaces/virt-device-policy-policy.js';
import { interfacePattern, interfaceText } from './interface-pattern.ts';

interface Kind {
  readonly rule: string;
  readonly what: string;
  readonly matches: (face: UsbInterface) => boolean;
}

const kind = (rule: string, what: string, pattern: string): Kind => ({
  rule,
  what,
  matches: interfacePattern(pattern),
});

const KINDS: readonly Kind[] = [
  // HID 1.11, 4.2 and 4.3: sub-class 1 is "boot interface", protocol 1 keyboard, 2 mouse.
  kind('default/boot-keyboard-mouse', 'keyboard', '03:01:01'),
  kind('default/boot-keyboard-mouse', 'mouse', '03:01:02'),
  // CDC 1.2, table 4: sub-classes of the communications class.
  kind('default/network', 'CDC ECM network card', '02:06:*'),
  kind('default/network', 'CDC MDLM network card', '02:0a:*'),
  kind('default/network', 'CDC EEM network card', '02:0c:*'),
  kind('default/network', 'CDC NCM network card', '02:0d:*'),
  kind('default/network', 'CDC MBIM modem', '02:0e:*'),
  // RNDIS as the kernel's rndis_host finds it: disguised as a serial line, tethering, ActiveSync, mobile broadband.
  kind('default/network', 'RNDIS network card', '02:02:ff'),
  kind('default/network', 'RNDIS network card', 'e0:01:03'),
  kind('default/network', 'RNDIS network card', 'ef:01:01'),
  kind('default/network', 'RNDIS network card', 'ef:04:01'),
];

/** Why a device with these interfaces is not offered by default, or undefined. */
export function defaultBlock(faces: UsbInterface[]): { rule: string; reason: string } | undefined {
  for (const { rule, what, matches } of KINDS) {
    const face = faces.find(matches);
    if (face)
      return { rule, reason: `${what} (interface ${interfaceText(face)}), blocked unless a rule allows it` };
  }
  return undefined;
}
