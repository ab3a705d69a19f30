// The bash script, sourced by a real bash, with a plugin that answers what a test wants.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BASH } from '../../../../plugin/completion/scripts/bash.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bash-'));
  writeFileSync(join(folder, 'script'), BASH);
  const plugin = join(folder, 'kubectl-virt');
  writeFileSync(plugin, `#!/bin/sh\nprintf '<%s>' "$@" > '${folder}/asked'\ncat '${folder}/reply'\n`);
  chmodSync(plugin, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What bash would offer at the end of a line; \`before\` is run before the script. */
function offered(line: string, reply: string, before = ''): { words: string[]; asked: string } {
  writeFileSync(join(folder, 'reply'), reply);
  writeFileSync(join(folder, 'asked'), '');
  const program = line.split(' ')[0] ?? '';
  const source = `
    ${before}
    source '${folder}/script'
    COMP_LINE=$1 COMP_POINT=\${#1} COMP_TYPE=\${2:-9}
    read -ra COMP_WORDS <<<"$1"
    COMP_CWORD=\${#COMP_WORDS[@]}
    [[ $1 == *' ' ]] || ((COMP_CWORD--))
    $(complete -p ${program} | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ['--norc', '--noprofile', '-c', source, 'bash', line];
  const out = execFileSync('bash', args, {
    env: { PATH: `${folder}:/usr/bin:/bin` },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const asked = readFileSync(join(folder, 'asked'), 'utf8');
  return { words: out.split('\n').filter(Boolean), asked };
}

describe('in bash', () => {
  it('the words of the line reach the plugin, the empty last one too', () => {
    expect(offered('kubectl-virt usb list -o json ', ':4\n').asked).toBe(
      '<__complete><usb><list><-o><json><>',
    );
    expect(offered('kubectl-virt usb sh', ':4\n').asked).toBe('<__complete><usb><sh>');
    expect(offered('kubectl-virt --output=js', ':4\n').asked).toBe('<__complete><--output=js>');
  });

  it('one word is put in without its description', () => {
    expect(offered('kubectl-virt usb sh', 'show\tShow one\n:4\n').words).toEqual(['show']);
  });

  it('several words are listed with their descriptions', () => {
    const reply = 'list\tList all\nshow\tShow one\nplain\n:4\n';
    expect(offered('kubectl-virt usb ', reply).words).toEqual([
      'list  (List all)',
      'show  (Show one)',
      'plain',
    ]);
  });

  it('only what stands behind a colon is put in', () => {
    expect(offered('kubectl-virt --context prod:e', 'prod:eu\n:4\n').words).toEqual(['eu']);
    expect(offered('kubectl-virt --context pr', 'prod:eu\n:4\n').words).toEqual(['prod:eu']);
  });

  it('nothing is offered when the plugin has nothing to say, fails or leaves it to bash', () => {
    expect(offered('kubectl-virt usb x', ':4\n').words).toEqual([]);
    expect(offered('kubectl-virt usb x', '').words).toEqual([]);
    expect(offered('kubectl-virt --kubeconfig ', ':0\n').words).toEqual([]);
  });

  it('kubectl virt is completed where the completion of kubectl is loaded, and the rest of kubectl as before', () => {
    const kubectl = '__start_kubectl() { COMPREPLY=(theirs); }; complete -F __start_kubectl kubectl';
    const { words, asked } = offered('kubectl virt usb sh', 'show\n:4\n', kubectl);
    expect([words, asked]).toEqual([['show'], '<__complete><usb><sh>']);
    expect(offered('kubectl get po', 'show\n:4\n', kubectl)).toEqual({ words: ['theirs'], asked: '' });
    expect(offered('kubectl vi', 'show\n:4\n', kubectl).words).toEqual(['theirs']);
  });
});
