// The image archive: its manifest names files that are in it, and the layer's hash is what the configuration says.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BUSYBOX_IMAGE, encodeImages, PAUSE_IMAGE } from '../../lab/artefacts/images.ts';

interface Image {
  readonly Config: string;
  readonly RepoTags: string[];
  readonly Layers: string[];
}

const archive = encodeImages(Buffer.from('not really busybox'));

function extract(file: string, from: Buffer = archive): Buffer {
  return execFileSync('tar', ['-xO', '-f', '-', file], { input: from });
}

const manifest = JSON.parse(extract('manifest.json').toString()) as Image[];

describe('the image archive', () => {
  it('holds a pause and a busybox image that share one layer', () => {
    expect(manifest.flatMap(({ RepoTags }) => RepoTags)).toEqual([PAUSE_IMAGE, BUSYBOX_IMAGE]);
    expect(new Set(manifest.flatMap(({ Layers }) => Layers)).size).toBe(1);
  });

  it.each(manifest)('names the hash of its layer and of its configuration: $RepoTags', (image) => {
    const config = extract(image.Config);
    const layer = extract(image.Layers[0] ?? '');
    const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(image.Config).toBe(`${hash(config)}.json`);
    expect(JSON.parse(config.toString()).rootfs.diff_ids).toEqual([`sha256:${hash(layer)}`]);
  });

  it('has the places where a pod mounts the code of its node', () => {
    const layer = extract(manifest[0]?.Layers[0] ?? '');
    const names = execFileSync('tar', ['-tf', '-'], { input: layer, encoding: 'utf8' }).split('\n');
    expect(names).toEqual(expect.arrayContaining(['usr', 'lib', 'lib64', 'bin/sh', 'bin/sleep']));
    expect(extract('bin/busybox', layer).toString()).toBe('not really busybox');
  });
});
