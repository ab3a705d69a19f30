// Ends a lab by what its record says, also when the process that ran it was killed.
import { rm } from 'node:fs/promises';
import { attempt } from './command.ts';
import { isRunning } from './process-identity.ts';
import { RunRecord, runFolders, type Started } from './run-record.ts';
import { waitFor } from './wait.ts';

/** A lab is left over when the process that owns it is gone, or died before it could write its name. */
export function isLeftOver(started: readonly Started[], alive: typeof isRunning = isRunning): boolean {
  const owner = started.find((entry) => entry.kind === 'owner');
  return owner === undefined || !alive(owner);
}

/** Removes every lab whose owner is gone and returns their folders. */
export async function removeLeftovers(): Promise<string[]> {
  const removed: string[] = [];
  for (const folder of runFolders()) {
    const record = RunRecord.open(folder);
    if (!isLeftOver(record.started())) continue;
    await removeLab(record);
    removed.push(record.folder);
  }
  return removed;
}

/** Ends all processes of a lab, then removes its namespace, its link and its folder. Repeating it is harmless. */
export async function removeLab(record: RunRecord): Promise<void> {
  const started = record.started();
  await endProcesses(started);
  for (const entry of started) {
    if (entry.kind === 'namespace') await removeNamespace(entry.name);
    if (entry.kind === 'link') await attempt('ip', ['link', 'delete', entry.name]);
  }
  await rm(record.folder, { recursive: true, force: true });
}

async function endProcesses(started: readonly Started[]): Promise<void> {
  const groups = started.filter((entry) => entry.kind === 'group');
  for (const group of groups.toReversed()) if (isRunning(group)) end(-group.pid);
  await waitFor('the processes of the lab end', () => !groups.some(isRunning));
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself in this moment.
  }
}

/** What still runs inside our own namespace is ours, even when a crash came before it could be noted. */
async function removeNamespace(name: string): Promise<void> {
  const { code, out } = await attempt('ip', ['netns', 'pids', name]);
  if (code !== 0) return;
  for (const pid of out.split('\n').filter(Boolean)) end(Number(pid));
  await attempt('ip', ['netns', 'delete', name]);
}
