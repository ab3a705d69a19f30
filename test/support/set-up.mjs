// Makes a fresh clone ready: installs the locked packages and builds the policies. Plain JavaScript without
// packages, because it is the one program here that may run on an older Node, before ours is installed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const stamp = `${root}/node_modules/.lock-hash`;

function run(command, args) {
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
}

function installWhenLockChanged() {
  const hash = createHash('sha256')
    .update(readFileSync(`${root}/package-lock.json`))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  process.stderr.write('setting up: installing packages\n');
  run('npm', ['ci', '--no-progress', '--loglevel=error']);
  writeFileSync(stamp, hash);
}

/** The pinned Node where there is one for this platform, else the one that runs this. */
function node() {
  const pinned = `${root}/node_modules/.bin/node`;
  return existsSync(pinned) ? pinned : process.execPath;
}

function requireNode() {
  const version = execFileSync(node(), ['--version'], { encoding: 'utf8' }).trim();
  const [major, minor] = version.slice(1).split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return;
  process.stderr.write(
    `error: Node ${version} is too old\nhint: install Node 22.19 or newer; there is no pinned one for this platform\n`,
  );
  process.exit(1);
}

installWhenLockChanged();
requireNode();
run(node(), ['wasm/build.ts']);
