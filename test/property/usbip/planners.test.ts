// Rules that hold for every state of ports, buckets and rows.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attachSpeed } from '../../../node/usbip/attach-speed.ts';
import { portUse } from '../../../node/usbip/port-use.ts';
import { RateLimit } from '../../../node/usbip/rate-limit.ts';
import { choosePort } from '../../../node/usbip/vhci-port.ts';
import { PORT_STATE, parseVhciStatus, type VhciPort } from '../../../node/usbip/vhci-status.ts';

const ports = fc
  .array(
    fc.record({
      hub: fc.constantFrom<'hs' | 'ss'>('hs', 'ss'),
      state: fc.integer({ min: 4, max: 7 }),
      devid: fc.nat(0xffffffff),
    }),
    {
      maxLength: 40,
    },
  )
  .map((rows) =>
    rows.map(({ hub, state, devid }, port): VhciPort => {
      const used = state === PORT_STATE.used;
      return { port, hub, state, devid: used ? devid : 0, ...(used && { localBusId: `9-${port + 1}` }) };
    }),
  );

const row = (port: VhciPort) =>
  [
    `${port.hub}  ${String(port.port).padStart(4, '0')} ${String(port.state).padStart(3, '0')}`,
    port.localBusId ? '003' : '000',
    port.devid.toString(16).padStart(8, '0'),
    '000017',
    port.localBusId ?? '0-0',
  ].join(' ');

describe('vhci', () => {
  it('every port of a status file is read as the kernel wrote it', () => {
    fc.assert(
      fc.property(ports, (written) => {
        const text = `hub port sta spd dev      sockfd local_busid\n${written.map(row).join('\n')}\n`;
        expect(parseVhciStatus(text)).toEqual(written);
      }),
    );
  });

  it('a chosen port is free, of the right hub and not known to be taken; without one there is none', () => {
    fc.assert(
      fc.property(ports, fc.integer({ min: 1, max: 6 }), fc.array(fc.nat(40)), (all, speed, taken) => {
        const fits = all.filter(
          ({ hub, state, port }) =>
            hub === (speed >= 5 ? 'ss' : 'hs') && state === PORT_STATE.free && !taken.includes(port),
        );
        if (fits.length === 0) expect(() => choosePort(all, speed, new Set(taken))).toThrow();
        else expect(fits.map(({ port }) => port)).toContain(choosePort(all, speed, new Set(taken)));
      }),
    );
  });

  it('every port is counted once', () => {
    fc.assert(
      fc.property(ports, (all) => {
        const { highSpeed, superSpeed } = portUse(all);
        expect(highSpeed.total + superSpeed.total).toBe(all.length);
        expect(highSpeed.used + superSpeed.used).toBe(
          all.filter(({ state }) => state !== PORT_STATE.free).length,
        );
      }),
    );
  });

  it('a speed stays in its hub on every kernel', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.string(), (speed, release) => {
        expect(attachSpeed(speed, release) >= 5).toBe(speed >= 5);
      }),
    );
  });
});

describe('rate limit', () => {
  it('lets through no more than the burst and what has come in since', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(500), { maxLength: 100 }),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 20 }),
        (gaps, burst, perSecond) => {
          const limit = new RateLimit(burst, perSecond);
          let now = 0;
          let allowed = 0;
          for (const gap of gaps) {
            now += gap;
            if (limit.allow('10.0.0.1', now)) allowed++;
          }
          expect(allowed).toBeLessThanOrEqual(burst + (now / 1000) * perSecond + 1e-6);
        },
      ),
    );
  });
});
