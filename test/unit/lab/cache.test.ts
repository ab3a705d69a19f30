// The lab's cache: equal inputs are built once, a changed input is built again, a failed build leaves nothing.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Artefact,
  artefactFolder,
  cacheRoot,
  contentHash,
  ensureArtefact,
  isBuilt,
} from '../../lab/cache.ts';

describe('the content hash', () => {
  it('is the same for the same parts, as text or as bytes', () => {
    expect(contentHash(['a', Buffer.from('b')])).toBe(contentHash([Buffer.from('a'), 'b']));
  });

  it('changes when a byte moves from one part to the next', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), (first, second) => {
        const moved = [first.slice(0, -1), first.slice(-1) + second];
        expect(contentHash([first, second])).not.toBe(contentHash(moved));
      }),
    );
  });

  it('changes when a part is added, even an empty one', () => {
    expect(contentHash(['a'])).not.toBe(contentHash(['a', '']));
  });
});

describe('the cache folder', () => {
  it('is below XDG_CACHE_HOME where that is set', () => {
    expect(cacheRoot({ XDG_CACHE_HOME: '/x', HOME: '/h' })).toBe('/x/kubectl-virt-lab');
  });

  it('is below ~/.cache otherwise', () => {
    expect(cacheRoot({ XDG_CACHE_HOME: '', HOME: '/h' })).toBe('/h/.cache/kubectl-virt-lab');
  });
});

describe('an artefact', () => {
  let root: string;
  let built: number;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'lab-cache-'));
    built = 0;
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function artefact(key: string, build?: Artefact['build']): Artefact {
    const write: Artefact['build'] = async (folder, work) => {
      built++;
      writeFileSync(join(work, 'scratch'), '');
      writeFileSync(join(folder, 'file'), key);
    };
    return { name: 'thing', key, build: build ?? write };
  }

  it('is built once and found again', async () => {
    const folder = await ensureArtefact(root, artefact('1'));
    expect(await ensureArtefact(root, artefact('1'))).toBe(folder);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('1');
    expect(built).toBe(1);
  });

  it('is built again beside the old one when its key changes', async () => {
    await ensureArtefact(root, artefact('1'));
    await ensureArtefact(root, artefact('2'));
    expect(readdirSync(root).filter((name) => !name.startsWith('.'))).toEqual(['thing-1', 'thing-2']);
  });

  it('is built once when two ask at the same time', async () => {
    await Promise.all([ensureArtefact(root, artefact('1')), ensureArtefact(root, artefact('1'))]);
    expect(built).toBe(1);
  });

  it('is absent after a build that failed, and no scratch is left', async () => {
    const failing = artefact('1', async (folder) => {
      writeFileSync(join(folder, 'half'), '');
      throw new Error('no space');
    });
    await expect(ensureArtefact(root, failing)).rejects.toThrow('no space');
    expect(isBuilt(root, failing)).toBe(false);
    expect(readdirSync(root)).toEqual(['.thing.lock']);
    await ensureArtefact(root, artefact('1'));
    expect(readdirSync(artefactFolder(root, failing))).toEqual(['file']);
  });

  it('removes the scratch of a build that was killed', async () => {
    mkdirSync(join(root, '.thing-building-x'));
    mkdirSync(join(root, '.other-building-x'));
    await ensureArtefact(root, artefact('1'));
    expect(readdirSync(root).sort()).toEqual(['.other-building-x', '.thing.lock', 'thing-1']);
  });
});
