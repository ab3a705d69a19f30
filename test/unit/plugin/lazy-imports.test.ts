// Help and version must start fast: what they import at once is counted here.
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');

/** Static imports only; types vanish before the program runs. */
function staticImports(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm)].map(
    ([, target]) => target ?? '',
  );
}

function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const target of staticImports(file)) {
    if (!target.startsWith('.')) seen.add(target);
    else if (target.endsWith('.ts')) loadedBy(normalize(join(dirname(file), target)), seen);
  }
  return seen;
}

describe('plugin/main.ts', () => {
  const loaded = [...loadedBy('plugin/main.ts')];

  it('imports no Kubernetes client, no policy and no handler before it knows the verb', () => {
    expect(loaded.filter((file) => /^(proto\/kube|wasm|plugin\/(usb|version))\//.test(file))).toEqual([]);
  });

  it('imports no package but yargs, and nothing of Node', () => {
    expect(loaded.filter((file) => !file.endsWith('.ts'))).toEqual(['yargs']);
  });

  it('reaches the whole command line', () => {
    expect(loaded).toEqual(expect.arrayContaining(['plugin/commands/usb-list.ts', 'plugin/run/parser.ts']));
  });
});

describe('usb list', () => {
  it('imports neither YAML, templates, the policy nor the watch before they are asked for', () => {
    const loaded = [...loadedBy('plugin/usb/list.ts')];
    const late =
      /^(yaml|wasm\/|plugin\/usb\/(watch|change)|plugin\/output\/(jsonpath|custom-columns|sort-by))/;
    expect(loaded.filter((file) => late.test(file))).toEqual([]);
  });
});
