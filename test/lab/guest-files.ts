// Puts what a node starts with into the folder of the lab: its first programs and their settings.
import { chmodSync, copyFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PERSISTENT_FOLDERS } from './kernel-arguments.ts';
import type { RunRecord } from './run-record.ts';

/** The checkout that the lab runs. */
export const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Node.js as the checkout pins it; nodes and pods see it under the same path. */
export const NODE_JS = `${CHECKOUT}/node_modules/.bin/node`;

function quoted(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

/** Settings as a shell script: search path (`folders` first), and which folders are on the disk. */
export function encodeEnvironment(folders: readonly string[]): string {
  const path = [
    ...folders,
    `${CHECKOUT}/node_modules/.bin`,
    '/usr/local/bin',
    '/usr/sbin',
    '/usr/bin',
    '/sbin',
    '/bin',
  ];
  return [
    `export PATH=${quoted(path.join(':'))} HOME=/root TERM=dumb LC_ALL=C.UTF-8`,
    `lab_persistent=${quoted(PERSISTENT_FOLDERS.join(' '))}`,
    '',
  ].join('\n');
}

/** The scripts are copied because their path goes through the kernel's command line, which allows no spaces. */
export function writeGuestFiles(record: RunRecord, folders: readonly string[]): void {
  const folder = record.makeFolder('guest');
  for (const name of ['init.sh', 'agent.sh']) {
    copyFileSync(fileURLToPath(new URL(`guest/${name}`, import.meta.url)), `${folder}/${name}`);
    chmodSync(`${folder}/${name}`, 0o755);
  }
  writeFileSync(`${folder}/environment`, encodeEnvironment(folders));
}
