// Pods that claim a USB device, as a person would write them.
import { ACCESS_CONFIG, DEVICE_CLASS, DRIVER } from '../../../proto/api/names.ts';
import { BUSYBOX_IMAGE } from '../artefacts/images.ts';
import type { Cluster } from '../cluster.ts';
import type { Manifest } from '../manifests.ts';
import { waitFor } from '../wait.ts';

export interface ClaimPod {
  readonly name: string;
  /** Node that the pod runs on. */
  readonly node: string;
  /** Name of the device. */
  readonly device: string;
  readonly mode?: 'usbfs' | 'driver';
  readonly command?: readonly string[];
}

/** The claim: the one device, with access in the given mode. */
export function claimManifest({
  name,
  device,
  mode = 'driver',
}: Pick<ClaimPod, 'name' | 'device' | 'mode'>): Manifest {
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name, namespace: 'default' },
    spec: {
      devices: {
        requests: [
          {
            name: 'usb',
            exactly: {
              deviceClassName: DEVICE_CLASS,
              selectors: [{ cel: { expression: `device.attributes["${DRIVER}"].name == "${device}"` } }],
            },
          },
        ],
        config: [{ opaque: { driver: DRIVER, parameters: { ...ACCESS_CONFIG, mode } } }],
      },
    },
  };
}

const WAIT = ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 1 & wait; done'];

export function podManifest({ name, node, command = WAIT }: ClaimPod): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      nodeSelector: { 'kubernetes.io/hostname': node },
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      resourceClaims: [{ name: 'usb', resourceClaimName: name }],
      containers: [
        {
          name: 'main',
          image: BUSYBOX_IMAGE,
          imagePullPolicy: 'Never',
          command: [...command],
          resources: { claims: [{ name: 'usb' }] },
        },
      ],
    },
  };
}

interface PodObject {
  readonly status: {
    readonly phase: string;
    readonly containerStatuses?: { readonly state: { readonly running?: object } }[];
  };
}

/** Milliseconds from creation until the container runs. */
export async function runClaimPod(cluster: Cluster, pod: ClaimPod): Promise<number> {
  const begin = performance.now();
  await cluster.apply([claimManifest(pod), podManifest(pod)]);
  await running(cluster, pod.name);
  return performance.now() - begin;
}

export async function running(cluster: Cluster, name: string, timeout = 60_000): Promise<void> {
  await waitFor(
    `pod ${name} runs`,
    async () => {
      const { status } = await cluster.get<PodObject>('pod', name);
      return status.phase === 'Running' && status.containerStatuses?.every(({ state }) => state.running);
    },
    { timeout, interval: 50 },
  );
}

export async function deleteClaimPod(cluster: Cluster, name: string): Promise<void> {
  await cluster.kubectl('delete', 'pod', name, '--ignore-not-found', '--timeout=60s');
  await cluster.kubectl('delete', 'resourceclaim', name, '--ignore-not-found', '--timeout=60s');
}

/** Runs a command in the pod of a claim. */
export function inPod(cluster: Cluster, name: string, script: string): Promise<string> {
  return cluster.kubectl('exec', name, '--', 'sh', '-c', script);
}
