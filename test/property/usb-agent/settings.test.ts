// Settings: what --print-config shows is what the same flags would set, and no text makes the parser fail otherwise.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printedConfig } from '../../../node/run/option-help.ts';
import { parseOptions } from '../../../node/run/options.ts';
import { USB_AGENT_OPTIONS, type UsbAgentOptions } from '../../../node/run/usb-agent-options.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';

const folder = fc.stringMatching(/^\/[a-z0-9/_.-]{0,20}$/);
const settings: fc.Arbitrary<UsbAgentOptions> = fc.record({
  nodeName: fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,20}[a-z0-9])?$/),
  kubeconfig: fc.stringMatching(/^[a-z /=-]{0,10}$/),
  policy: fc.stringMatching(/^[a-z /=-]{0,10}$/),
  allowPlainPeers: fc.boolean(),
  usbipAddress: fc.oneof(fc.constant(''), fc.ipV4(), fc.ipV6()),
  usbipPort: fc.nat(65_535),
  maxConnections: fc.integer({ min: 1, max: 10_000 }),
  probePort: fc.nat(65_535),
  cdiRoot: folder,
  pluginsDir: folder,
  registryDir: folder,
  hostRoot: folder,
  uevents: fc.constantFrom('netlink' as const, 'watch' as const),
  logLevel: fc.constantFrom('debug' as const, 'info' as const, 'silent' as const),
});

describe('the settings of the agent', () => {
  it('are the same after they were printed and given as flags', () => {
    fc.assert(
      fc.property(settings, (values) => {
        const flags = printedConfig(USB_AGENT_OPTIONS, values)
          .split('\n')
          .slice(0, -1)
          .map((line) => `--${line}`);
        expect(parseOptions(USB_AGENT_OPTIONS, flags, {}).values).toEqual(values);
      }),
    );
  });

  it('are refused with USAGE or BAD_CONFIG, whatever is given', () => {
    const flags = Object.values(USB_AGENT_OPTIONS).map(({ flag }) => `--${flag}`);
    const word = fc.oneof(fc.constantFrom(...flags), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(
        fc.array(word),
        fc.dictionary(fc.constantFrom('NODE_NAME', 'POLICY', 'USBIPD_PORT'), fc.string()),
        (argv, env) => {
          try {
            const { values, help } = parseOptions(USB_AGENT_OPTIONS, argv, env);
            if (!help) expect(values.nodeName).toMatch(/^[a-z0-9]/);
          } catch (error) {
            expect(error).toBeInstanceOf(TypedError);
            expect(['USAGE', 'BAD_CONFIG']).toContain((error as TypedError).code);
          }
        },
      ),
    );
  });
});
