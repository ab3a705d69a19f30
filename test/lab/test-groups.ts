// The groups of lab tests: the folders here that hold *.lab.ts files.
import { readdirSync } from 'node:fs';
import { labPath } from './artefacts/recipe-folder.ts';

export function testGroups(): string[] {
  return readdirSync(labPath('.'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && hasTests(entry.name))
    .map((entry) => entry.name)
    .sort();
}

function hasTests(folder: string): boolean {
  return readdirSync(labPath(folder)).some((name) => name.endsWith('.lab.ts'));
}
