// From command lines to verbs with their arguments.
import { describe, expect, it } from 'vitest';
import { root } from '../../../plugin/commands/root.ts';
import { usbList } from '../../../plugin/commands/usb-list.ts';
import { usbShow } from '../../../plugin/commands/usb-show.ts';
import { type Call, parseCall } from '../../../plugin/run/parser.ts';
import { codeOf } from './code-of.ts';

const parse = (...argv: string[]) => parseCall(root, argv, 100);

function ran(...argv: string[]): Extract<Call, { kind: 'run' }> {
  const call = parse(...argv);
  if (call.kind !== 'run') throw new Error('a help page came instead');
  return call;
}

describe('parseCall', () => {
  it('finds the verb and its flags wherever they stand', () => {
    const { verb, args } = ran('usb', '-n', 'lab', 'list', '-Aw', '-oname');
    expect(verb).toBe(usbList);
    expect([args.text('namespace'), args.text('output')]).toEqual(['lab', 'name']);
    expect([args.isOn('all-namespaces'), args.isOn('watch'), args.isOn('no-headers')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('keeps selectors as text, also those that look like numbers', () => {
    expect(ran('usb', 'show', '0123').args.text('device')).toBe('0123');
    expect(ran('usb', 'show', '1e5').args.text('device')).toBe('1e5');
    expect(ran('usb', 'show', '0951:1666').args.text('device')).toBe('0951:1666');
  });

  it('takes a selector that begins with a dash behind a double dash', () => {
    const { verb, args } = ran('usb', 'show', '--', '-serial');
    expect(verb).toBe(usbShow);
    expect(args.text('device')).toBe('-serial');
  });

  it('keeps flag values as text', () => {
    const { args } = ran('usb', 'list', '--context=123', '--token', '0x10', '--as-uid=1e3');
    expect([args.text('context'), args.text('token'), args.text('as-uid')]).toEqual(['123', '0x10', '1e3']);
  });

  it('collects a flag that may be repeated', () => {
    const { args } = ran('usb', 'list', '--as=me', '--as-group=a', '--as-group', 'b');
    expect(args.texts('as-group')).toEqual(['a', 'b']);
    expect(ran('usb', 'list').args.texts('as-group')).toEqual([]);
  });

  it('does not take a selector for the value of a repeated flag', () => {
    const { args } = ran('usb', 'show', '--as-group=a', 'disk');
    expect([args.texts('as-group'), args.text('device')]).toEqual([['a'], 'disk']);
  });

  it('treats an empty value like none', () => {
    expect(ran('usb', 'list', '--namespace=').args.text('namespace')).toBeUndefined();
  });

  it('knows every connection flag of kubectl with every verb', () => {
    const flags = [
      ...['--kubeconfig=f', '--context=c', '--cluster=c', '--user=u', '-shttps://x', '--token=t', '--as=a'],
      ...['--as-group=g', '--as-uid=1', '--request-timeout=5s', '--insecure-skip-tls-verify', '-v6'],
      ...['--tls-server-name=n', '--certificate-authority=f', '--client-certificate=f', '--client-key=f'],
      '--proxy-url=http://p',
    ];
    for (const verb of [['usb', 'list'], ['usb', 'show', 'x'], ['version']]) {
      const { args } = ran(...verb, ...flags);
      expect([args.text('server'), args.text('v'), args.isOn('insecure-skip-tls-verify')]).toEqual([
        'https://x',
        '6',
        true,
      ]);
    }
  });

  it.each([
    ['usb', 'nope'],
    ['nope'],
    ['usb', 'list', 'extra'],
    ['usb', 'list', '--output', 'html'],
    ['usb', 'show', 'a', '--', 'b'],
    ['usb', 'show', 'a', '-A'],
    ['usb', 'show'],
    ['version', '--watch'],
    ['usb', 'list', '--no-watch'],
    ['usb', 'list', '--noHeaders'],
    ['usb', 'attach', 'disk'],
    ['completion', 'ksh'],
    ['completion', 'bash', '--context=c'],
    ['__complete', 'usb'],
  ])('refuses %s %s %s %s %s', (...argv) => {
    expect(codeOf(() => parse(...argv))).toBe('USAGE');
  });

  it('shows help at every level', () => {
    for (const path of [[], ['usb'], ['usb', 'list'], ['usb', 'show'], ['version']]) {
      const call = parse(...path, '-h');
      expect(call.kind === 'help' && call.text).toContain(`Usage: ${['kubectl virt', ...path].join(' ')}`);
    }
  });

  it('shows help instead of running when both are asked for', () => {
    expect(parse('usb', 'list', '-w', '--help').kind).toBe('help');
  });

  it('wraps help to the width that it gets', () => {
    const call = parseCall(root, ['usb', 'list', '-h'], 60);
    const lines = call.kind === 'help' ? call.text.split('\n').filter((line) => /^ +-/.test(line)) : [];
    expect(lines.length).toBeGreaterThan(10);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  });
});
