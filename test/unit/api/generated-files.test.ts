// What is committed is what the schemas give.
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { generatedFiles } from '../../../proto/api/generator/generated-files.ts';
import { repositoryText } from './manifests.ts';

const files = await generatedFiles();

function committed(folder: string): string[] {
  return readdirSync(new URL(`../../../${folder}`, import.meta.url)).map((file) => `${folder}/${file}`);
}

describe('generated files', () => {
  it.each([...files.keys()])('%s is up to date with the schemas', (path) => {
    expect(repositoryText(path)).toBe(files.get(path));
  });

  it('are all that is in their folders', () => {
    const all = [...committed('proto/api/gen'), ...committed('node/deploy/crds')];
    expect(all.sort()).toEqual([...files.keys()].sort());
  });

  it('come out the same a second time', async () => {
    expect(await generatedFiles()).toEqual(files);
  });

  it.each([...files.keys()])('%s says that it is generated, and how', (path) => {
    const head = files.get(path)?.split('\n').slice(0, 2).join('\n');
    expect(head).toMatch(/Generated from .*schemas by `npm run generate`: do not edit/);
  });

  it('are made by npm run generate', () => {
    const { scripts } = JSON.parse(repositoryText('package.json'));
    expect(scripts.generate).toContain('node proto/api/generate.ts');
  });
});
