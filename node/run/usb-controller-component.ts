// `virt-node usb-controller`: settings, and the life of the controller until it is told to stop.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { hostPorts } from '../../proto/kube/config/host-ports.ts';
import { resolveConnection } from '../../proto/kube/config/resolve-connection.ts';
import { createKubeClient } from '../../proto/kube/rest/kube-client.ts';
import { createLog } from './log.ts';
import { optionHelp, printedConfig } from './option-help.ts';
import { parseOptions } from './options.ts';
import { startProbeServer } from './probe-server.ts';
import { UsbController } from './usb-controller.ts';
import { USB_CONTROLLER_OPTIONS } from './usb-controller-options.ts';

const ABOUT = 'Lets administrators assign USB devices to namespaces: keeps NodeUSBDevices and USBDevices.';

/** Resolves to 0 after a clean stop (SIGTERM, SIGINT). Rejects with BAD_CONFIG, BAD_KUBECONFIG. */
export async function usbControllerComponent(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const { values: options, help, printConfig } = parseOptions(USB_CONTROLLER_OPTIONS, argv, env);
  if (help || printConfig) {
    const text = help
      ? optionHelp('virt-node usb-controller', ABOUT, USB_CONTROLLER_OPTIONS)
      : printedConfig(USB_CONTROLLER_OPTIONS, options);
    process.stdout.write(text);
    return 0;
  }
  const log = createLog('usb-controller', options.logLevel);
  // Before anything that takes time: process 1 of a container ignores signals that it does not handle (pid_namespaces(7)).
  const stopped = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  const connection = await resolveConnection({ kubeconfig: options.kubeconfig }, env, hostPorts());
  const controller = new UsbController({
    kube: createKubeClient(connection),
    namespace: options.namespace,
    // The same for a container that is started anew: it need not wait for the lease that it held when it was killed.
    identity: env.POD_NAME || `${hostname()}_${randomUUID()}`,
    log,
  });
  const probes = await startProbeServer(
    { port: options.probePort },
    controller.probes(),
    controller.metrics.registry,
  );
  log.info({ port: probes.port }, 'probes and metrics are served');
  controller.start();
  log.info({ namespace: options.namespace }, 'USB controller started');
  const [signal] = await stopped;
  log.info({ signal }, 'stopping');
  await controller.stop();
  await probes.close();
  return 0;
}
