// A node's worth of devices under a rules file: every verdict, rule and reason as a person reads them.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseRules } from '../../../node/policy/parse-rules.ts';
import { NO_RULES } from '../../../node/policy/rule-set.ts';
import { type Device, loadDevicePolicy } from '../../../wasm/host/device-policy.ts';
import { device, faces, UNUSED } from '../../unit/policy/sample.ts';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
const NODE = { name: 'worker-1', labels: [{ key: 'zone', value: 'lab' }] };

const known = { fingerprint: `sha256:${'1c'.repeat(32)}` };
const keyboard = faces('03:01:01', '03:00:00');
const modem = { vendorId: 0x12d1, productId: 0x14db, interfaces: faces('02:0e:00', '0a:00:02') };
const ethernet = faces('02:0d:00', '0a:00:01');

const DEVICES: [title: string, device: Partial<Device>][] = [
  ['stick', known],
  ['stick, other descriptors', {}],
  ['stick, no serial', { ...known, serial: '' }],
  ['stick, mounted', { ...known, inUse: { ...UNUSED, mounts: ['sdb1 on /srv'] } }],
  ['stick, front panel', { ...known, port: '0000:00:14.0-9.1' }],
  ['token', { interfaces: faces('0b:00:00') }],
  ['token with keyboard', { vendorId: 0x1050, interfaces: faces('03:01:01', '03:00:00', '0b:00:00') }],
  ['keyboard, Logitech', { vendorId: 0x046d, interfaces: keyboard }],
  ['keyboard with a disk', { vendorId: 0x046d, interfaces: [...keyboard, ...faces('08:06:50')] }],
  ['keyboard, another', { vendorId: 0x413c, interfaces: keyboard }],
  ['mouse', { vendorId: 0x046d, interfaces: faces('03:01:02') }],
  ['security key', { interfaces: faces('03:00:00') }],
  [
    'camera',
    { class: 0xef, subClass: 2, protocol: 1, interfaces: faces('0e:01:00', '0e:02:00', '01:01:00') },
  ],
  ['serial adapter, CDC ACM', { class: 2, interfaces: faces('02:02:01', '0a:00:00') }],
  ['serial adapter, FTDI', { interfaces: faces('ff:ff:ff') }],
  ['phone, tethering', { interfaces: faces('e0:01:03', '0a:00:00', 'ff:42:01') }],
  ['Ethernet, CDC NCM', { interfaces: ethernet }],
  ['Ethernet, up', { interfaces: ethernet, inUse: { ...UNUSED, networkUp: ['eth1'] } }],
  ['modem, allowed', { ...modem, serial: 'HW-0001' }],
  ['modem, not allowed', modem],
  ['Bluetooth', { class: 0xe0, subClass: 1, protocol: 1, interfaces: faces('e0:01:01', 'e0:01:01') }],
  ['hub', { class: 9, isHub: true, interfaces: faces('09:00:02') }],
  ['imported stick', { ...known, imported: true }],
];

describe('the devices of a node under a rules file', () => {
  it('get the verdicts, rules and reasons that are written down', async () => {
    const policy = await loadDevicePolicy();
    const { rules } = parseRules(read('rules.yaml'), 'rules.yaml');
    const decisions = policy.judge(
      DEVICES.map(([, different]) => device(different)),
      rules,
      NODE,
    );
    const lines = decisions.map(({ verdict, namespaces, rule, reason }, index) => {
      const title = DEVICES[index]?.[0] ?? '';
      const whom = `${verdict} ${namespaces.join()}`.trim();
      return `${title.padEnd(25)}${whom.padEnd(25)}${rule.padEnd(30)}${reason}\n`;
    });
    expect(lines.join('')).toBe(read('decisions.txt'));
  });
});

describe('the hash of the rules in force', () => {
  it('stays what nodes have already published', () => {
    // SHA-256 of the text `[]`.
    expect(NO_RULES.hash).toBe('4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945');
    expect(parseRules('[{ name: a, verdict: allow, serial: "x*" }]', 'rules.yaml').hash).toBe(
      createHash('sha256')
        .update(
          '[{"name":"a","namespaces":[],"nodeLabels":[],"serial":"x*","verdict":"allow","withInterface":[]}]',
        )
        .digest('hex'),
    );
  });
});

describe('the error about a rules file', () => {
  it('lists every mistake with its rule, key and allowed form', () => {
    const text = `
- name: sticks
  verdict: deny
  id: 951:1666
- verdict: allow
  vendor: Kingston
  namespaces: [lab, "*"]`;
    expect(() => parseRules(text, '/etc/virt-node/rules.yaml')).toThrow(
      [
        '/etc/virt-node/rules.yaml: rule 1 "sticks": verdict must be allow or block, is "deny"',
        'rule 1 "sticks": id must be vid:pid in quotes, four hexadecimal digits each, with * for any run of them, is "951:1666"',
        'rule 2: unknown key "vendor", use name, verdict, id, serial, product, hash, via-port, with-interface, node, node-labels, namespaces',
        'rule 2: namespaces must be a list of names of namespaces, is ["lab","*"]',
        'rule 2: name is missing, it must be a text, not empty, not beginning with built-in/ or default/',
      ].join('; '),
    );
  });
});
