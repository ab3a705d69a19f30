// Which kubeconfigs are looked for, and which may be missing.
import { delimiter } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadKubeconfigs } from '../../../proto/kube/config/kubeconfig-files.ts';
import { kubeconfigPaths } from '../../../proto/kube/config/kubeconfig-paths.ts';
import { fakePorts, systemError } from '../../support/kubeconfig-ports.ts';

describe('a kubeconfig is looked for', () => {
  const list = ['/a', '', '/b', '/a'].join(delimiter);

  it.each([
    [
      'where --kubeconfig says, before all else',
      { kubeconfig: 'k' },
      { KUBECONFIG: list, HOME: '/h' },
      ['k'],
      true,
    ],
    ['in the list of KUBECONFIG, each once', {}, { KUBECONFIG: list, HOME: '/h' }, ['/a', '/b'], false],
    [
      'in the home folder when KUBECONFIG is empty',
      {},
      { KUBECONFIG: '', HOME: '/h' },
      ['/h/.kube/config'],
      false,
    ],
    ['in the home folder of Windows', {}, { USERPROFILE: '/u' }, ['/u/.kube/config'], false],
    ['nowhere without a home folder', {}, {}, [], false],
  ])('%s', (_name, options, env, paths, required) => {
    expect(kubeconfigPaths(options, env)).toEqual({ paths, required });
  });
});

describe('the files there are', () => {
  it('are loaded in order, missing ones skipped', async () => {
    const ports = fakePorts({ '/a': 'current-context: a\n', '/c': 'current-context: c\n' });
    const files = await loadKubeconfigs(ports, { paths: ['/a', '/b', '/c'], required: false });
    expect(files.map(({ path, root }) => [path, root.text('current-context')])).toEqual([
      ['/a', 'a'],
      ['/c', 'c'],
    ]);
  });

  it('get absolute paths, so that relative paths in them have a base', async () => {
    const ports = fakePorts({ [`${process.cwd()}/k/config`]: 'kind: Config\n' });
    const [file] = await loadKubeconfigs(ports, { paths: ['k/config'], required: true });
    expect(file?.path).toBe(`${process.cwd()}/k/config`);
  });
});

describe('loading fails', () => {
  it.each([
    ['when the file of --kubeconfig is missing', systemError('ENOENT'), true],
    ['when a file may not be read', systemError('EACCES'), false],
    ['when a file may not be read by policy', systemError('EPERM'), false],
    ['when a folder is named', systemError('EISDIR'), false],
    ['when a file stands where a folder should', systemError('ENOTDIR'), false],
    ['when the disk fails', systemError('EIO'), false],
    ['when a file is garbled', 'users: [', false],
  ])('%s', async (_name, content, required) => {
    const ports = fakePorts({ '/good': 'kind: Config\n', '/bad': content });
    await expect(loadKubeconfigs(ports, { paths: ['/good', '/bad'], required })).rejects.toMatchObject({
      code: 'BAD_KUBECONFIG',
      message: expect.stringContaining('/bad'),
      hint: expect.any(String),
    });
  });
});
