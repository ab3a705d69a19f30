// `virt-node usb-controller`: its settings and what is made of them.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { hostPorts } from '../../proto/kube/config/host-ports.ts';
import { resolveConnection } from '../../proto/kube/config/resolve-connection.ts';
import { createKubeClient } from '../../proto/kube/rest/kube-client.ts';
import { runComponent } from './run-component.ts';
import { UsbController } from './usb-controller.ts';
import { USB_CONTROLLER_OPTIONS } from './usb-controller-options.ts';

const ABOUT = 'Lets administrators assign USB devices to namespaces: keeps NodeUSBDevices and USBDevices.';

/** Resolves to 0 after a clean stop (SIGTERM, SIGINT). Rejects with BAD_CONFIG, BAD_KUBECONFIG. */
export function usbControllerComponent(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return runComponent(
    {
      name: 'usb-controller',
      about: ABOUT,
      options: USB_CONTROLLER_OPTIONS,
      create: async ({ kubeconfig, namespace }, log) =>
        new UsbController({
          kube: createKubeClient(await resolveConnection({ kubeconfig }, env, hostPorts())),
          namespace,
          // The same for a container that is started anew: it need not wait for the lease that it held when it was killed.
          identity: env.POD_NAME || `${hostname()}_${randomUUID()}`,
          log,
        }),
    },
    argv,
    env,
  );
}
