// `virt-node usb-agent`: its settings, and what is read once before it starts.
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TypedError } from '../../proto/api/typed-error.ts';
import { hostPorts } from '../../proto/kube/config/host-ports.ts';
import { resolveConnection } from '../../proto/kube/config/resolve-connection.ts';
import { createKubeClient } from '../../proto/kube/rest/kube-client.ts';
import { loadDevicePolicy } from '../../wasm/host/device-policy.ts';
import { NO_RULES } from '../policy/rule-set.ts';
import { readRulesFile } from '../policy/rules-file.ts';
import { decodeIdentityMap, encodeIdentityMap, type IdentityMap } from '../usb/identity-map.ts';
import { readDurable, writeDurable } from './durable-file.ts';
import type { Log } from './log.ts';
import { runComponent } from './run-component.ts';
import { UsbAgent } from './usb-agent.ts';
import { USB_AGENT_OPTIONS, type UsbAgentOptions } from './usb-agent-options.ts';
import { stateFolder } from './usb-host.ts';
import { VERSION } from './version.ts';

const ABOUT = 'Discovers the USB devices of this node, publishes them and prepares them for pods.';

/** Resolves to 0 after a clean stop (SIGTERM, SIGINT). Rejects with BAD_CONFIG, BAD_POLICY, BAD_KUBECONFIG, KERNEL. */
export function usbAgentComponent(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return runComponent(
    {
      name: 'usb-agent',
      about: ABOUT,
      options: USB_AGENT_OPTIONS,
      create: async (options, log) => {
        checkTogether(options);
        return createAgent(options, env, log);
      },
    },
    argv,
    env,
  );
}

function checkTogether({ allowPlainPeers, usbipAddress, hostRoot }: UsbAgentOptions): void {
  if (allowPlainPeers && usbipAddress === '') {
    throw new TypedError(
      'BAD_CONFIG',
      '--allow-plain-peers is given without --usbipd-address',
      "set it to this node's IP address, or USBIPD_ADDRESS from status.podIP",
    );
  }
  // Else an agent whose host is not mounted would publish for ever that its node has no devices.
  if (!existsSync(join(hostRoot, 'sys'))) {
    throw new TypedError(
      'BAD_CONFIG',
      `--host-root is ${JSON.stringify(hostRoot)}, which holds no sys`,
      "it must be a folder with the node's sys, dev and proc",
    );
  }
}

async function makeStateFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypedError(
      'BAD_CONFIG',
      `the state cannot be kept in ${folder}: ${reason}`,
      '--kubelet-plugins-dir must be a folder that this program may write to',
      { cause },
    );
  }
}

async function createAgent(options: UsbAgentOptions, env: NodeJS.ProcessEnv, log: Log): Promise<UsbAgent> {
  const rules = options.policy === '' ? NO_RULES : await readRulesFile(options.policy);
  const connection = await resolveConnection({ kubeconfig: options.kubeconfig }, env, hostPorts());
  await makeStateFolder(stateFolder(options));
  return new UsbAgent({
    options,
    kube: createKubeClient(connection),
    policy: await loadDevicePolicy(),
    rules,
    identities: await openIdentities(join(stateFolder(options), 'identities.json'), log),
    bootId: (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim(),
    version: VERSION,
    log,
  });
}

async function openIdentities(path: string, log: Log) {
  const map = await readDurable(path, decodeIdentityMap, ({ movedTo, error }) => {
    log.error(
      { path, movedTo, err: error },
      'the names of devices are lost: those in use are found again by their claims',
    );
  });
  return { map: map ?? [], save: (next: IdentityMap) => writeDurable(path, encodeIdentityMap(next)) };
}
