// Kills the agent of a node at a moment that its files and its kernel show, as a crash would, without a debugger.
import { DRIVER, KUBELET } from '../../../proto/api/names.ts';
import type { LabNode } from '../node.ts';
import { AGENT_PROCESS } from './agents.ts';

/** Folder of the records of claims. */
export const CHECKPOINTS = `${KUBELET.plugins}/${DRIVER}/checkpoint`;

/** Bash functions that start no process: a fork takes longer than the moments that are looked for. */
const LOOKS = `
  claim_is() {
    local file text
    for file in ${CHECKPOINTS}/*.json; do
      [ -f "$file" ] && mapfile -d '' -t text <"$file" 2>/dev/null && [[ \${text[0]} == *'"state": "'$1'"'* ]] && return
    done
    return 1
  }
  port_is() {
    local hub port state rest
    while read -r hub port state rest; do
      [[ $state == $1 ]] && return
    done </sys/devices/platform/vhci_hcd.0/status
    return 1
  }
  edits_are_written() { compgen -G '/var/run/cdi/*_*-*-*-*-*.json' >/dev/null; }
  export_is() {
    local file state
    for file in /sys/bus/usb/drivers/usbip-host/*-*/usbip_status; do
      [ -f "$file" ] && read -r state <"$file" && [[ $state == $1 ]] && return
    done
    return 1
  }
`;

/**
 * Kills the agent with SIGKILL as soon as the condition, made of the functions above, holds; resolves when it is dead,
 * and rejects when that was not seen in time, or when the agent had moved on before it died.
 */
export async function killAgentWhen(node: LabNode, condition: string): Promise<void> {
  await node.ok(
    `${LOOKS}
    mkfifo /run/never-$$; exec {never}<>/run/never-$$; rm /run/never-$$
    pid=$(pgrep -of '${AGENT_PROCESS}')
    end=$((SECONDS + 150))
    until ${condition}; do
      [ $SECONDS -lt $end ] || { echo 'the moment never came'; exit 1; }
      read -t 0.005 -u $never
    done
    kill -KILL $pid
    while [ -d /proc/$pid ]; do :; done
    ${condition} || { echo 'the moment had passed'; exit 1; }`,
    { timeout: 170_000 },
  );
}
