// What `virt-node usb-agent` refuses before it touches anything, and what it says without a cluster.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { usbAgentComponent } from '../../../node/run/usb-agent-component.ts';
import { USB_AGENT_OPTIONS } from '../../../node/run/usb-agent-options.ts';
import { memoryFolder } from '../../support/dra/driver-bench.ts';
import { errorCode } from '../../support/error-code.ts';

const folder = memoryFolder();
const path = (name: string) => join(folder, name);
const kubeconfig = path('kubeconfig');
writeFileSync(
  kubeconfig,
  JSON.stringify({
    clusters: [{ name: 'x', cluster: { server: 'http://127.0.0.1:1' } }],
    users: [{ name: 'x', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    'current-context': 'x',
  }),
);
writeFileSync(path('file'), '');
writeFileSync(path('rules'), '- name: x\n  verdict: perhaps\n');
writeFileSync(path('no-context'), '{"current-context":"y"}');
mkdirSync(path('host/sys'), { recursive: true });

const GOOD = [
  '--node-name=a',
  `--kubeconfig=${kubeconfig}`,
  `--host-root=${path('host')}`,
  `--kubelet-plugins-dir=${path('plugins')}`,
  `--kubelet-registry-dir=${path('registry')}`,
  '--healthz-port=0',
  '--log-level=silent',
];

const refusal = (...flags: string[]) => errorCode(() => usbAgentComponent([...GOOD, ...flags], {}));

afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  const { rm } = await import('node:fs/promises');
  await rm(folder, { recursive: true });
});

async function printed(argv: string[], env: NodeJS.ProcessEnv): Promise<{ code: number; text: string }> {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += chunk;
    return true;
  });
  const code = await usbAgentComponent(argv, env);
  return { code, text };
}

describe('settings that are refused', () => {
  it.each([
    ['BAD_CONFIG', 'a node name in capitals', '--node-name=Node'],
    ['BAD_CONFIG', 'a port beyond the last', '--usbipd-port=65536'],
    ['BAD_CONFIG', 'a port in words', '--healthz-port=http'],
    ['BAD_CONFIG', 'no connections at all', '--usbipd-max-tcp-connections=0'],
    ['BAD_CONFIG', 'a relative folder', '--cdi-root=cdi'],
    ['BAD_CONFIG', 'a relative plugin folder', '--kubelet-plugins-dir=plugins'],
    ['BAD_CONFIG', 'a relative registry folder', '--kubelet-registry-dir=registry'],
    ['BAD_CONFIG', 'a relative host root', '--host-root=host'],
    ['BAD_CONFIG', 'a host root without sys', `--host-root=${folder}/nowhere`],
    ['BAD_CONFIG', 'an unknown source of uevents', '--uevents=udev'],
    ['BAD_CONFIG', 'an unknown level', '--log-level=loud'],
    ['BAD_CONFIG', 'a switch that is neither on nor off', '--allow-plain-peers=perhaps'],
    ['BAD_CONFIG', 'an address that is a name', '--usbipd-address=node-a'],
    ['BAD_CONFIG', 'plain peers without an address', '--allow-plain-peers'],
    ['BAD_CONFIG', 'a plugin folder that cannot be made', `--kubelet-plugins-dir=${folder}/file/plugins`],
    ['BAD_POLICY', 'rules that are not there', `--policy=${folder}/nowhere`],
    ['BAD_POLICY', 'rules with a mistake', `--policy=${folder}/rules`],
    ['BAD_KUBECONFIG', 'a kubeconfig that is not there', `--kubeconfig=${folder}/nowhere`],
    ['BAD_KUBECONFIG', 'a kubeconfig without its context', `--kubeconfig=${folder}/no-context`],
    ['USAGE', 'an unknown flag', '--node=a'],
    ['USAGE', 'a flag without its value', '--policy'],
  ])('%s: %s', async (code, _, flag) => {
    expect(await refusal(flag)).toBe(code);
  });

  it('BAD_CONFIG: no node name', async () => {
    expect(await errorCode(() => usbAgentComponent(GOOD.slice(1), {}))).toBe('BAD_CONFIG');
  });

  it('BAD_CONFIG: a bad value of the environment', async () => {
    expect(await errorCode(() => usbAgentComponent(GOOD, { USBIPD_PORT: 'x' }))).toBe('BAD_CONFIG');
  });
});

describe('what is printed without a cluster', () => {
  it('--help names every flag and variable', async () => {
    const { code, text } = await printed(['--help'], {});
    expect(code).toBe(0);
    for (const option of Object.values(USB_AGENT_OPTIONS)) {
      expect(text).toContain(`--${option.flag}`);
      if (option.env) expect(text).toContain(`[${option.env}]`);
    }
  });

  it('--print-config shows flag before environment before default', async () => {
    const argv = ['--print-config', '--node-name=a', '--usbipd-port=1'];
    const { code, text } = await printed(argv, { USBIPD_PORT: '2', HEALTHZ_PORT: '3' });
    expect(code).toBe(0);
    expect(text.split('\n')).toEqual(
      expect.arrayContaining(['usbipd-port=1', 'usbipd-max-tcp-connections=100', 'healthz-port=3']),
    );
  });

  it('--print-config refuses a bad value', async () => {
    expect(await errorCode(() => usbAgentComponent(['--print-config'], {}))).toBe('BAD_CONFIG');
  });
});
