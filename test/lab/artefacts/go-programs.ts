// Kubernetes, containerd and etcd from their published Go modules, at the versions locked in go/<name>/go.sum.
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Artefact } from '../cache.ts';
import { contentHash } from '../cache.ts';
import { run } from '../command.ts';
import { VERSIONS } from '../versions.ts';
import { fileContent, folderContents, labPath } from './recipe-folder.ts';

const HOUR = 3_600_000;

interface GoPrograms {
  readonly name: keyof typeof VERSIONS;
  readonly packages: readonly string[];
  readonly tags?: string;
  /** Settings of string variables, `-X` of the linker. */
  readonly variables: Readonly<Record<string, string>>;
  /** Programs that Go names after a folder that says nothing. */
  readonly renamed?: Readonly<Record<string, string>>;
}

const [major = '', minor = ''] = VERSIONS.kubernetes.split('.');

const PROGRAMS: readonly GoPrograms[] = [
  {
    name: 'kubernetes',
    packages: ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kubectl'].map(
      (program) => `k8s.io/kubernetes/cmd/${program}`,
    ),
    variables: {
      'k8s.io/component-base/version.gitVersion': `v${VERSIONS.kubernetes}`,
      'k8s.io/component-base/version.gitMajor': major,
      'k8s.io/component-base/version.gitMinor': minor,
    },
  },
  {
    name: 'containerd',
    packages: ['containerd', 'containerd-shim-runc-v2', 'ctr'].map(
      (program) => `github.com/containerd/containerd/v2/cmd/${program}`,
    ),
    tags: 'no_btrfs,no_zfs,no_devmapper,no_aufs',
    variables: { 'github.com/containerd/containerd/v2/version.Version': VERSIONS.containerd },
  },
  {
    name: 'etcd',
    packages: ['go.etcd.io/etcd/server/v3'],
    variables: {},
    renamed: { server: 'etcd' },
  },
];

/** One artefact a project; its files are the programs under their usual names. */
export function goArtefacts(): Artefact[] {
  return PROGRAMS.map((programs) => ({
    name: programs.name,
    key: contentHash([
      VERSIONS[programs.name],
      fileContent('artefacts/go-programs.ts'),
      ...folderContents(`go/${programs.name}`),
    ]),
    build: (folder) => compile(programs, folder),
  }));
}

/** One `go build` for all programs of a project: what they share is compiled once and they are linked side by side. */
async function compile(programs: GoPrograms, folder: string): Promise<void> {
  const variables = Object.entries(programs.variables).map(([name, value]) => `-X ${name}=${value}`);
  const tags = programs.tags ? ['-tags', programs.tags] : [];
  await run(
    'go',
    [
      'build',
      ...tags,
      '-ldflags',
      ['-s -w', ...variables].join(' '),
      '-o',
      `${folder}/`,
      ...programs.packages,
    ],
    {
      cwd: labPath(`go/${programs.name}`),
      env: {
        ...process.env,
        CGO_ENABLED: '0',
        GOFLAGS: '-mod=readonly -trimpath -buildvcs=false',
        GOWORK: 'off',
      },
      timeout: HOUR,
    },
  );
  for (const [from, to] of Object.entries(programs.renamed ?? {})) {
    await rename(join(folder, from), join(folder, to));
  }
}
