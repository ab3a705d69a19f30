// Virtual machines of the lab, and an actor that plays their controller: it writes what a real one would to the status.
import type { VirtualMachine } from '../../../proto/api/virtual-machine.ts';
import type { KubeClient } from '../../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';

const type = RESOURCE_TYPES.virtualMachines;

/** A running machine without USB devices. */
export async function makeVm(client: KubeClient, namespace: string, name: string): Promise<void> {
  await client.create<VirtualMachine>(type, {
    apiVersion: `${type.group}/${type.version}`,
    kind: 'VirtualMachine',
    metadata: { namespace, name },
    spec: {},
  });
  const status = { phase: 'Running', nodeName: 'b', usbDevices: [] };
  await client.patch(type, { namespace, name }, 'merge', { status }, { subresource: 'status' });
}

/**
 * Attaches and detaches what the specs of a namespace ask for, a moment later, until it is stopped. `ignores` is the
 * name of a machine that it never looks at.
 */
export function playVmController(
  client: KubeClient,
  namespace: string,
  ignores = '',
): { stop(): Promise<void> } {
  let stopped = false;
  const round = async () => {
    const { items } = await client.list<VirtualMachine>(type, { namespace });
    for (const vm of items) if (vm.metadata.name !== ignores) await follow(client, vm);
  };
  const playing = (async () => {
    while (!stopped) {
      // A machine that is changed in between has its turn in the next round.
      await round().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  return {
    async stop() {
      stopped = true;
      await playing;
    },
  };
}

async function follow(client: KubeClient, { metadata, spec, status }: VirtualMachine): Promise<void> {
  const wanted = (spec?.usbDevices ?? []).map(({ name }) => name);
  const shown = (status?.usbDevices ?? []).map(({ name }) => name);
  if (wanted.join() === shown.join()) return;
  const usbDevices = wanted.map((name) => ({ name, attached: true, ready: true, hotplugged: true }));
  const { namespace = '', name = '' } = metadata;
  await client.patch(
    type,
    { namespace, name },
    'merge',
    { status: { usbDevices } },
    { subresource: 'status' },
  );
}
