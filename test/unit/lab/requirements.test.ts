// What the machine must have, and that the versions named in one place are those that are locked.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fileContent } from '../../lab/artefacts/recipe-folder.ts';
import { isGoRecent, missingPackages } from '../../lab/requirements.ts';
import { MACHINE_PACKAGES, VERSIONS } from '../../lab/versions.ts';

describe('a package', () => {
  const packages = [
    { name: 'one', files: ['/a', '/b'] },
    { name: 'two', files: ['/c'] },
  ];

  it('is there when any of its files is', () => {
    expect(missingPackages(packages, (file) => file === '/b')).toEqual(['two']);
  });

  it('is missing when none is', () => {
    expect(missingPackages(packages, () => false)).toEqual(['one', 'two']);
  });

  it('is listed once', () => {
    const names = MACHINE_PACKAGES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('Go', () => {
  it.each([
    ['go version go1.26.8 linux/amd64', '1.21', true],
    ['go version go1.21 linux/amd64', '1.21', true],
    ['go version go1.19.8 linux/amd64', '1.21', false],
    ['go version go2.0 linux/amd64', '1.21', true],
    ['', '1.21', false],
  ])('"%s" against %s is recent: %s', (output, oldest, recent) => {
    expect(isGoRecent(output, oldest)).toBe(recent);
  });
});

describe('the versions', () => {
  it.each([
    ['kubernetes', `k8s.io/kubernetes v${VERSIONS.kubernetes}`],
    ['kubernetes', `k8s.io/api => k8s.io/api v0.${VERSIONS.kubernetes.slice(2)}`],
    ['containerd', `github.com/containerd/containerd/v2 v${VERSIONS.containerd}`],
    ['etcd', `go.etcd.io/etcd/server/v3 v${VERSIONS.etcd}`],
  ])('of %s are those of its lock file: %s', (name, line) => {
    expect(fileContent(`go/${name}/go.mod`).toString()).toContain(line);
  });

  it('of the kernel keep io_uring out', () => {
    const config = readFileSync(new URL('../../lab/kernel/node.config', import.meta.url), 'utf8');
    expect(config).not.toMatch(/^CONFIG_IO_URING=y/m);
    expect(config).toMatch(/^CONFIG_BLK_DEV_UBD=y$/m);
  });
});
