// Ports of vhci: read, counted, chosen, and whose they are.
import { describe, expect, it } from 'vitest';
import { attachSpeed } from '../../../node/usbip/attach-speed.ts';
import type { ImportAttachment } from '../../../node/usbip/importer.ts';
import { portHolder } from '../../../node/usbip/port-holder.ts';
import { portUse } from '../../../node/usbip/port-use.ts';
import { choosePort } from '../../../node/usbip/vhci-port.ts';
import { parseVhciStatus, type VhciPort } from '../../../node/usbip/vhci-status.ts';

const STATUS = `hub port sta spd dev      sockfd local_busid
hs  0000 006 003 00030011 000017 9-1
hs  0001 004 000 00000000 000000 0-0
hs  0002 005 000 00000000 000000 0-0
ss  0008 004 000 00000000 000000 0-0
ss  0009 007 000 00000000 000000 0-0
`;

describe('status file', () => {
  const ports = parseVhciStatus(STATUS);

  it('tells hub, state, device and local bus id of each port', () => {
    expect(ports[0]).toEqual({ port: 0, hub: 'hs', state: 6, devid: 0x30011, localBusId: '9-1' });
    expect(ports[3]).toEqual({ port: 8, hub: 'ss', state: 4, devid: 0 });
  });

  it('of a controller that is not ready has sixteen digits for the socket', () => {
    expect(parseVhciStatus('ss  0015 005 000 00000000 0000000000000000 0-0')).toHaveLength(1);
  });

  it('loses nothing to lines that are no ports', () => {
    expect(parseVhciStatus(`\ngarbage\n${STATUS}hs 00`)).toEqual(ports);
  });

  it('is counted by hub; what is not free is used', () => {
    expect(portUse(ports)).toEqual({ highSpeed: { total: 3, used: 2 }, superSpeed: { total: 2, used: 1 } });
  });
});

describe('choice of a port', () => {
  const ports = parseVhciStatus(STATUS);

  it.each([
    [1, 1],
    [2, 1],
    [3, 1],
    [5, 8],
    [6, 8],
  ])('speed %d takes port %d', (speed, port) => {
    expect(choosePort(ports, speed)).toBe(port);
  });

  it('says how many ports there are and which kernel options make more', () => {
    const error = (() => {
      try {
        return choosePort(ports, 3, new Set([1]));
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toMatchObject({ code: 'NO_FREE_PORT', message: expect.stringContaining('3 of 3') });
    expect(error).toHaveProperty('hint', expect.stringContaining('CONFIG_USBIP_VHCI_HC_PORTS'));
    expect(error).toHaveProperty('hint', expect.stringContaining('CONFIG_USBIP_VHCI_NR_HCS'));
  });

  it('says to load the module when there are no ports at all', () => {
    expect(() => choosePort([], 3)).toThrow(
      expect.objectContaining({ code: 'NO_FREE_PORT', hint: expect.stringContaining('vhci-hcd') }),
    );
  });
});

describe('speed by kernel', () => {
  it.each([
    ['6.1.0-44-amd64', 5],
    ['6.11.9', 5],
    ['5.15.0', 5],
    ['6.12.0', 6],
    ['7.2.1', 6],
    ['', 5],
  ])('super plus on %j is %d', (release, speed) => {
    expect(attachSpeed(6, release)).toBe(speed);
  });

  it('other speeds are the same on all', () => {
    expect([1, 2, 3, 5].map((speed) => attachSpeed(speed, '5.4.0'))).toEqual([1, 2, 3, 5]);
  });
});

describe('holder of a port', () => {
  const attachment: ImportAttachment = {
    kind: 'import',
    mode: 'usbfs',
    port: 0,
    devid: 0x30011,
    peer: '10.0.0.1',
    remoteBusId: '3-2',
    claim: 'uid-1',
  };
  const used: VhciPort = { port: 0, hub: 'hs', state: 6, devid: 0x30011, localBusId: '9-1' };

  it('is ours with our device', () => {
    expect(portHolder(used, attachment, undefined)).toBe('ours');
    expect(portHolder(used, attachment, 'uid-1')).toBe('ours');
  });

  it('is another with another device, when it is free, or when there is no such port', () => {
    expect(portHolder({ ...used, devid: 0x30012 }, attachment, undefined)).toBe('other');
    expect(portHolder({ port: 0, hub: 'hs', state: 4, devid: 0 }, attachment, 'uid-1')).toBe('other');
    expect(portHolder(undefined, attachment, undefined)).toBe('other');
  });

  it('is untold before the device has an address', () => {
    expect(portHolder({ port: 0, hub: 'hs', state: 5, devid: 0 }, attachment, undefined)).toBe('untold');
    expect(portHolder({ port: 0, hub: 'hs', state: 7, devid: 0 }, attachment, 'uid-1')).toBe('untold');
  });

  it('is another when a later claim attached the same device to the same port', () => {
    expect(portHolder(used, attachment, 'uid-2')).toBe('other');
  });

  it('goes by the device alone when the record does not know its claim', () => {
    const { claim: _, ...older } = attachment;
    expect(portHolder(used, older, 'uid-2')).toBe('ours');
  });
});
