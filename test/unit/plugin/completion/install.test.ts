// kubectl virt completion install: the small program that kubectl looks for.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installShim } from '../../../../plugin/completion/install.ts';
import { codeOfPromise } from '../code-of.ts';
import { run } from '../fake-host.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shim-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const place = () => ({ folder, path: ['/usr/bin', folder].join(delimiter) });

describe('installShim', () => {
  it('writes a program that passes every word on to the plugin', async () => {
    const file = await installShim(place(), 'linux');
    expect(file).toBe(join(folder, 'kubectl_complete-virt'));
    const plugin = join(folder, 'kubectl-virt');
    writeFileSync(plugin, '#!/bin/sh\nprintf "<%s>" "$@"\n');
    chmodSync(plugin, 0o755);
    const env = { PATH: `${folder}:/usr/bin:/bin` };
    expect(execFileSync(file, ['usb', 'a b', '--output=', ''], { env, encoding: 'utf8' })).toBe(
      '<__complete><usb><a b><--output=><>',
    );
  });

  it('writes what Windows can start there', async () => {
    const file = await installShim(place(), 'win32');
    expect(file).toBe(join(folder, 'kubectl_complete-virt.cmd'));
    expect(readFileSync(file, 'utf8')).toContain('kubectl-virt __complete %*');
  });

  it('may be done again', async () => {
    await installShim(place(), 'linux');
    const file = await installShim(place(), 'linux');
    expect(statSync(file).mode & 0o111).toBe(0o111);
  });

  it('leaves a file of another plugin alone', async () => {
    const file = join(folder, 'kubectl_complete-virt');
    writeFileSync(file, '#!/bin/sh\nvirtctl __complete "$@"\n');
    expect(await codeOfPromise(installShim(place(), 'linux'))).toBe('CONFLICT');
    expect(readFileSync(file, 'utf8')).toContain('virtctl');
  });

  it('refuses a folder where kubectl would not look, and one that is not there', async () => {
    const elsewhere = { folder, path: '/usr/bin' };
    expect(await codeOfPromise(installShim(elsewhere, 'linux'))).toBe('USAGE');
    const missing = join(folder, 'missing');
    expect(await codeOfPromise(installShim({ folder: missing, path: missing }, 'linux'))).toBe('USAGE');
  });
});

describe('completion install', () => {
  it('takes the folder from --dir and says what it wrote', async () => {
    const before = process.env.PATH;
    process.env.PATH = `${before}${delimiter}${folder}`;
    try {
      const { code, out } = await run(['completion', 'install', '--dir', folder]);
      expect([code, out.startsWith(join(folder, 'kubectl_complete-virt'))]).toEqual([0, true]);
    } finally {
      process.env.PATH = before;
    }
  });

  it('has one clear error and no connection flags', async () => {
    const { code, out, err } = await run(['completion', 'install', '--dir', folder]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^error: .* \(USAGE\)\nhint: /);
    expect((await run(['completion', 'install', '--context=c'])).code).toBe(2);
  });
});
