// Keeps the tree as the README says it is: who may import whom, how big a file may be, how it is named.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file && existsSync(join(root, file)));
const code = files.filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !file.includes('/gen/'));
const product = code.filter((file) => !file.startsWith('test/'));
const text = new Map(code.map((file) => [file, readFileSync(join(root, file), 'utf8')]));

/** Specifiers of static and dynamic imports and re-exports. */
function imports(file: string): string[] {
  const source = text.get(file) ?? '';
  return [...source.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)['"]([^'"]+)['"]/gm)].map(
    (m) => m[1] ?? '',
  );
}

/** Relative specifiers as paths from the root; packages as they are. */
function targets(file: string): string[] {
  return imports(file).map((s) => (s.startsWith('.') ? normalize(join(dirname(file), s)) : s));
}

function importers(of: RegExp, allowed: RegExp): string[] {
  return product.filter((file) => !allowed.test(file) && targets(file).some((target) => of.test(target)));
}

function lines(file: string): number {
  return (text.get(file) ?? '').split('\n').filter((line) => line.trim()).length;
}

describe('imports', () => {
  it('plugin never imports node', () => {
    expect(
      product.filter((f) => f.startsWith('plugin/') && targets(f).some((t) => t.startsWith('node/'))),
    ).toEqual([]);
  });

  it('node never imports plugin', () => {
    expect(
      product.filter((f) => f.startsWith('node/') && targets(f).some((t) => t.startsWith('plugin/'))),
    ).toEqual([]);
  });

  it('proto imports neither plugin, node nor wasm', () => {
    const wrong = /^(plugin|node|wasm)\//;
    expect(product.filter((f) => f.startsWith('proto/') && targets(f).some((t) => wrong.test(t)))).toEqual(
      [],
    );
  });

  it('the policies import nothing outside their folder but generated types', () => {
    const inside = product.filter((f) => /^wasm\/[a-z]+-(policy|scan)\//.test(f));
    expect(inside.length).toBeGreaterThan(0);
    expect(
      inside.filter((f) =>
        targets(f).some(
          (t) => !t.startsWith(`${dirname(f)}/`) && !t.startsWith('virt:') && !t.startsWith('wasm/gen/'),
        ),
      ),
    ).toEqual([]);
  });

  it('koffi is imported in node/sys only', () => {
    expect(importers(/^koffi$/, /^node\/sys\//)).toEqual([]);
  });

  it('@grpc/grpc-js is imported in node/dra only, beside the generated services', () => {
    expect(importers(/^@grpc\//, /^node\/dra\//)).toEqual([]);
  });

  it('ink and react are imported in plugin/tui only', () => {
    expect(importers(/^(ink|react)$/, /^plugin\/tui\//)).toEqual([]);
  });

  it('no product file imports a test', () => {
    expect(product.filter((f) => targets(f).some((t) => t.startsWith('test/')))).toEqual([]);
  });

  it('every program ends in its own main only', () => {
    const ends = product.filter((f) => /\bprocess\.exit\(/.test(text.get(f) ?? ''));
    expect(ends.filter((f) => !/\/(main|build|generate)\.ts$/.test(f))).toEqual([]);
  });
});

describe('files', () => {
  it('have at most 400 lines', () => {
    expect(code.filter((f) => lines(f) > 400).map((f) => `${f} ${lines(f)}`)).toEqual([]);
  });

  it('have a median of at most 80 lines', () => {
    const sizes = product.map(lines).sort((a, b) => a - b);
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(80);
  });

  it('are named in kebab-case, after what they hold', () => {
    expect(code.filter((f) => !/(^|\/)[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)*\.(ts|tsx|mjs)$/.test(f))).toEqual([]);
    expect(code.filter((f) => /(^|\/)(utils?|helpers?|common|misc|manager)(\/|\.)/.test(f))).toEqual([]);
  });

  it('begin with a line that says what they are for', () => {
    expect(code.filter((f) => !/^(#!.*\n)?(\/\/|\/\*)/.test(text.get(f) ?? ''))).toEqual([]);
  });

  it('stand below the agreed folders', () => {
    const agreed =
      /^(\.|plugin\/|node\/|wasm\/|proto\/|krew\/|test\/|(README|CHANGELOG|CONTRIBUTING|SECURITY)\.md$|LICENSE$|package(-lock)?\.json$|tsconfig\.json$|biome\.json$|vitest\.config\.ts$)/;
    expect(files.filter((f) => !agreed.test(f))).toEqual([]);
  });
});

describe('tests', () => {
  const tests = code.filter((f) => f.startsWith('test/'));

  it('are never switched off or narrowed', () => {
    const narrowed = /\b(it|test|describe)\.(skip|only|todo)\(|\bx(it|describe)\(/;
    expect(tests.filter((f) => narrowed.test(text.get(f) ?? ''))).toEqual([]);
  });

  it('have at least 1.5 lines for each line of the product', () => {
    const total = (list: string[]) => list.reduce((sum, f) => sum + lines(f), 0);
    expect(total(tests) / total(product)).toBeGreaterThanOrEqual(1.5);
  });
});
