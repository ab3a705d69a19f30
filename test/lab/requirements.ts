// What the machine must have before the lab can be built or run, and the commands that bring what is missing.
import { existsSync } from 'node:fs';
import { attempt, run } from './command.ts';
import { LabError } from './lab-error.ts';
import { MACHINE_PACKAGES, type MachinePackage, VERSIONS } from './versions.ts';

/** The packages of which no file is there. */
export function missingPackages(
  packages: readonly MachinePackage[],
  exists: (file: string) => boolean = existsSync,
): string[] {
  return packages.filter(({ files }) => !files.some(exists)).map(({ name }) => name);
}

/** True when the output of `go version` names `oldest` or newer. */
export function isGoRecent(output: string, oldest: string): boolean {
  const [, major, minor] = /\bgo(\d+)\.(\d+)/.exec(output) ?? [];
  const [oldMajor = 0, oldMinor = 0] = oldest.split('.').map(Number);
  return Number(major) > oldMajor || (Number(major) === oldMajor && Number(minor) >= oldMinor);
}

/** Throws LabError unless this process may make namespaces and kernels here. */
export function requireRoot(): void {
  if (process.getuid?.() === 0) return;
  throw new LabError(
    'the lab makes network namespaces and mounts, which needs root',
    'sudo -E npm run lab:test',
  );
}

/** Throws LabError with the command to type when packages or Go are missing. */
export async function requireMachine(): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new LabError(`the lab runs on Linux x86-64 only, not on ${process.platform} ${process.arch}`);
  }
  if (!existsSync('/dev/net/tun')) throw new LabError('there is no /dev/net/tun', 'modprobe tun');
  const missing = missingPackages(MACHINE_PACKAGES);
  if (missing.length > 0) {
    throw new LabError(
      `the lab needs packages that are not installed: ${missing.join(' ')}`,
      `apt-get install --no-install-recommends ${missing.join(' ')}, or npm run lab:build -- --install`,
    );
  }
  await requireGo();
}

async function requireGo(): Promise<void> {
  const { out } = await attempt('go', ['version']).catch(() => ({ out: '' }));
  if (isGoRecent(out, VERSIONS.go)) return;
  throw new LabError(
    out
      ? `the lab needs Go ${VERSIONS.go} or newer, found: ${out.trim()}`
      : 'the lab needs Go, which is not in PATH',
    `install Go ${VERSIONS.go} or newer and put its bin folder into PATH`,
  );
}

/** Brings the package lists up to date and installs what is missing. */
export async function installPackages(): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const timeout = 900_000;
  await run('apt-get', ['update', '-qq'], { env, timeout });
  const missing = missingPackages(MACHINE_PACKAGES);
  if (missing.length === 0) return;
  await run('apt-get', ['install', '-qq', '-y', '--no-install-recommends', ...missing], { env, timeout });
}
