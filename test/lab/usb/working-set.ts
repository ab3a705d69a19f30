// What an agent takes of its node: memory as the kubelet counts it, and open descriptors.
import type { LabNode } from '../node.ts';
import { AGENT_PROCESS } from './agents.ts';

export interface WorkingSet {
  /** Bytes: memory of the pod's cgroup without file pages that the kernel may drop at once. */
  readonly total: number;
  /** Bytes of it that are the process's own. */
  readonly anonymous: number;
  /** Bytes beside it: file pages that the kernel may drop, such as those of the program. */
  readonly droppable: number;
  /** Open descriptors without connections to the API server, which come and go. */
  readonly descriptors: number;
}

// Of descriptors the least of a while counts: a scan has a file open now and then.
const SCRIPT = `
  set -e
  pid=$(pgrep -of '${AGENT_PROCESS}')
  cd /sys/fs/cgroup$(sed -n 's/^0:://p' /proc/$pid/cgroup)
  of() { awk -v name=$1 '$1 == name { print $2 }' memory.stat; }
  memory="$(($(cat memory.current) - $(of inactive_file))) $(of anon) $(of inactive_file)"
  for i in 1 2 3 4 5; do
    echo $(($(ls /proc/$pid/fd | wc -l) - $(ss -Htnp dst :443 | grep -c "pid=$pid,")))
    sleep 0.2
  done | sort -n | sed -n "1s/^/$memory /p"
`;

export async function workingSet(node: LabNode): Promise<WorkingSet> {
  const [total = 0, anonymous = 0, droppable = 0, descriptors = 0] = (await node.ok(SCRIPT))
    .split(' ')
    .map(Number);
  return { total, anonymous, droppable, descriptors };
}

/** `53.2 MiB (48.8 its own), 56.1 droppable, 24 descriptors` */
export function describeSet({ total, anonymous, droppable, descriptors }: WorkingSet): string {
  const mib = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
  return `${mib(total)} MiB (${mib(anonymous)} its own), ${mib(droppable)} droppable, ${descriptors} descriptors`;
}
