// The container images of the lab, made here: a static busybox and nothing else, so nothing is fetched.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Artefact } from '../cache.ts';
import { contentHash } from '../cache.ts';
import { fileContent } from './recipe-folder.ts';
import { encodeTar } from './tar.ts';

export const PAUSE_IMAGE = 'lab.local/pause:1';
export const BUSYBOX_IMAGE = 'lab.local/busybox:1';

const BUSYBOX = '/bin/busybox';
// Also the places where a pod of the lab mounts the node's own /usr, /lib and /lib64.
const FOLDERS = 'bin dev etc lib lib64 proc root run sys tmp usr usr/bin var'.split(' ');
const APPLETS =
  'cat dd echo env false find grep head hexdump ip kill ls mkdir mknod mount nc od ps rm sh sha256sum sleep stat sync tail test touch true wc wget'.split(
    ' ',
  );

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** One archive with both images in the form that `docker save` writes and containerd imports. */
export function encodeImages(busybox: Uint8Array): Buffer {
  const layer = encodeTar([
    ...FOLDERS.map((name) => ({ kind: 'folder', name }) as const),
    { kind: 'file', name: 'bin/busybox', content: busybox, mode: 0o755 },
    ...APPLETS.map((name) => ({ kind: 'link', name: `bin/${name}`, target: BUSYBOX }) as const),
  ]);
  const layerName = `${sha256(layer).slice(0, 32)}/layer.tar`;
  const images = [
    { tag: PAUSE_IMAGE, command: ['/bin/sleep', '2147483647'] },
    { tag: BUSYBOX_IMAGE, command: ['/bin/sh'] },
  ].map(({ tag, command }) => {
    const content = Buffer.from(JSON.stringify(imageConfig(command, sha256(layer))));
    return { tag, content, name: `${sha256(content)}.json` };
  });
  const manifest = images.map(({ tag, name }) => ({ Config: name, RepoTags: [tag], Layers: [layerName] }));
  return encodeTar([
    { kind: 'file', name: layerName, content: layer },
    ...images.map(({ name, content }) => ({ kind: 'file', name, content }) as const),
    { kind: 'file', name: 'manifest.json', content: Buffer.from(JSON.stringify(manifest)) },
  ]);
}

function imageConfig(command: string[], diffId: string): object {
  return {
    architecture: 'amd64',
    os: 'linux',
    config: { Cmd: command, Env: ['PATH=/bin:/usr/bin:/sbin:/usr/sbin'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${diffId}`] },
    history: [{ created_by: 'lab' }],
  };
}

/** The artefact's only file is `images.tar`. */
export function imagesArtefact(): Artefact {
  const busybox = readFileSync(BUSYBOX);
  return {
    name: 'images',
    key: contentHash([busybox, fileContent('artefacts/images.ts'), fileContent('artefacts/tar.ts')]),
    build: (folder) => writeFile(join(folder, 'images.tar'), encodeImages(busybox)),
  };
}
