// Random clusters for property tests: few names, so that claims, reports and exports meet often.
import fc from 'fast-check';
import type { NodeObject, UsbFacts } from '../../../plugin/usb/facts.ts';
import type {
  UsbAttachmentStatus,
  UsbDeviceStatus,
  UsbExportStatus,
  UsbNodeStatus,
} from '../../../proto/api/gen/usb-node-status.ts';
import type { ResourceClaim } from '../../../proto/api/resource.ts';
import { ago, claimOf, deviceOf, nodeOf, statusOf, usbName } from './lab-facts.ts';

const NODES = ['n1', 'n2', 'n3'];
const DEVICES = ['aa', 'bb', 'cc', 'dd'].map(usbName);
const CLAIMS = ['one', 'two', 'three'];

const node = fc.constantFrom(...NODES);
const device = fc.constantFrom(...DEVICES);

const plugged: fc.Arbitrary<UsbDeviceStatus> = fc
  .record({
    name: device,
    verdict: fc.constantFrom('Offered' as const, 'Blocked' as const),
    busID: fc.constantFrom('1-1', '1-10', '1-2', '2-1.4'),
    product: fc.constantFrom('Disk', 'Camera', 'Token'),
  })
  .map(({ name, ...given }) => deviceOf(name, given));

const attachment: fc.Arbitrary<UsbAttachmentStatus> = fc
  .record({
    claim: fc.constantFrom(...CLAIMS),
    device,
    pool: node,
    state: fc.constantFrom('Preparing' as const, 'Attached' as const),
    seconds: fc.integer({ min: 1, max: 500 }),
  })
  .map(({ claim, seconds, ...given }) => ({
    ...given,
    claim: { namespace: 'lab', name: claim, uid: `uid-of-${claim}` },
    mode: 'usbfs',
    transport: 'local',
    busID: '1-1',
    since: ago(seconds),
  }));

const exported: fc.Arbitrary<UsbExportStatus> = fc
  .record({ device, peer: node })
  .map((given) => ({ ...given, busID: '1-1', transport: 'plain', since: ago(50) }));

function reportOf(name: string): fc.Arbitrary<UsbNodeStatus> {
  return fc
    .record({
      devices: fc.uniqueArray(plugged, { selector: (one) => one.name, maxLength: 4 }),
      attachments: fc.array(attachment, { maxLength: 3 }),
      exports: fc.array(exported, { maxLength: 2 }),
      heartbeat: fc.constantFrom(ago(10), ago(170), ago(190)),
    })
    .map((given) => statusOf(name, given));
}

const claims: fc.Arbitrary<ResourceClaim[]> = fc
  .uniqueArray(
    fc.record({ name: fc.constantFrom(...CLAIMS), node, device, pods: fc.subarray(['web', 'db']) }),
    {
      selector: ({ name }) => name,
    },
  )
  .map((all) => all.map((one) => claimOf(one.name, one.node, one.device, one.pods)));

const nodes: fc.Arbitrary<NodeObject[]> = fc
  .subarray(NODES)
  .chain((names) =>
    fc.tuple(...names.map((name) => fc.constantFrom('True', 'False').map((ready) => nodeOf(name, ready)))),
  );

export const anyFacts: fc.Arbitrary<UsbFacts> = fc.record({
  statuses: fc.tuple(...NODES.map(reportOf)).chain((all) => fc.subarray(all)),
  claims: fc.option(claims, { nil: undefined }),
  nodes: fc.option(nodes, { nil: undefined }),
});
