// Reads the manifests of the checkout and makes them run in the lab, where there are no images of our programs.
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { BUSYBOX_IMAGE } from './artefacts/images.ts';
import { CHECKOUT, NODE_JS } from './guest-files.ts';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

interface Container {
  readonly image?: string;
  readonly command?: string[];
  readonly volumeMounts?: object[];
  readonly [field: string]: unknown;
}

interface PodSpec {
  readonly containers: Container[];
  readonly initContainers?: Container[];
  readonly volumes?: object[];
  readonly [field: string]: unknown;
}

/** The objects of a YAML file; a relative path starts at the checkout. */
export function readManifests(file: string): Manifest[] {
  const text = readFileSync(isAbsolute(file) ? file : join(CHECKOUT, file), 'utf8');
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

/** What a program of the checkout needs of the node, read-only: the checkout, Node.js and its libraries. */
const CODE = [CHECKOUT, '/usr', '/lib', '/lib64'].map((path, index) => ({ name: `lab-code-${index}`, path }));

/**
 * Makes a Pod or a workload run the checkout: a tiny image, the code from the node, and `command` in place of the
 * image's entry point (arguments stay). Other kinds come back as they are.
 */
export function fromCheckout(command: readonly string[] = [NODE_JS, `${CHECKOUT}/node/main.ts`]) {
  return (manifest: Manifest): Manifest =>
    changePodSpec(manifest, (spec) => ({
      ...spec,
      ...(spec.initContainers ? { initContainers: spec.initContainers.map(withCode(command)) } : {}),
      containers: spec.containers.map(withCode(command)),
      volumes: [...(spec.volumes ?? []), ...CODE.map(({ name, path }) => ({ name, hostPath: { path } }))],
    }));
}

function withCode(command: readonly string[]) {
  return (container: Container): Container => ({
    ...container,
    image: BUSYBOX_IMAGE,
    imagePullPolicy: 'Never',
    command: [...command],
    volumeMounts: [
      ...(container.volumeMounts ?? []),
      ...CODE.map(({ name, path }) => ({ name, mountPath: path, readOnly: true })),
    ],
  });
}

/** Changes the pod of a Pod, or the one in the template of a workload; other kinds come back as they are. */
export function changePodSpec(manifest: Manifest, change: (spec: PodSpec) => PodSpec): Manifest {
  if (manifest.kind === 'Pod') return { ...manifest, spec: change(manifest.spec as PodSpec) };
  const spec = manifest.spec as { template?: { spec?: PodSpec } } | undefined;
  const pod = spec?.template?.spec;
  if (!pod) return manifest;
  return { ...manifest, spec: { ...spec, template: { ...spec.template, spec: change(pod) } } };
}
