// What the last word of an unfinished command line may become.
import { describe, expect, it } from 'vitest';
import type { Group, Verb } from '../../../../plugin/commands/command.ts';
import { completionTarget, type Target } from '../../../../plugin/completion/target.ts';
import { codeOf } from '../code-of.ts';

const load = async () => async () => 0;

const join: Verb = {
  name: 'join',
  about: 'Joins two',
  arguments: [
    { name: 'device', about: 'a device', kind: 'device' },
    { name: 'vm', about: 'a machine', kind: 'vm', optional: true },
  ],
  flags: [
    { name: 'output', short: 'o', kind: 'text', choices: ['json', 'path=TEXT'], about: 'Format' },
    { name: 'namespace', short: 'n', kind: 'text', completes: 'namespace', about: 'Namespace' },
    { name: 'yes', short: 'y', kind: 'switch', about: 'Do not ask' },
  ],
  examples: [],
  load,
};
const local: Verb = {
  name: 'local',
  about: 'Stays here',
  isLocal: true,
  flags: [{ name: 'output', short: 'o', kind: 'text', choices: ['yaml'], about: 'Format' }],
  examples: [],
  load,
};
const group: Group = { name: 'usb', about: 'Devices', commands: [join] };
const root: Group = { name: 'kubectl virt', about: 'All', commands: [group, local] };

const at = (...words: string[]) => completionTarget(root, words);

function told(target: Target): unknown {
  switch (target.kind) {
    case 'command':
      return target.commands.map(({ name }) => name);
    case 'flag':
      return target.flags.map(({ name }) => name);
    case 'value':
      return `value of ${target.flag.name}`;
    case 'argument':
      return `argument ${target.argument.name}`;
    case 'nothing':
      return 'nothing';
  }
}

describe('completionTarget', () => {
  it.each<[string[], unknown]>([
    [[''], ['usb', 'local']],
    [['u'], ['usb', 'local']],
    [[], ['usb', 'local']],
    [['usb', ''], ['join']],
    [['-n', 'lab', 'usb', ''], ['join']],
    [['usb', 'join', ''], 'argument device'],
    [['usb', 'join', 'disk', ''], 'argument vm'],
    [['usb', 'join', '-y', 'disk', ''], 'argument vm'],
    [['usb', 'join', '-n', 'lab', ''], 'argument device'],
    [['usb', 'join', 'disk', 'web', ''], 'nothing'],
    [['usb', 'join', '--', ''], 'argument device'],
    [['usb', 'join', '--', '-x'], 'argument device'],
    [['usb', 'join', '--', '-x', ''], 'argument vm'],
    [['usb', 'join', '-n', ''], 'value of namespace'],
    [['usb', 'join', '-yn', ''], 'value of namespace'],
    [['usb', 'join', '--namespace', '-'], 'value of namespace'],
    [['usb', 'join', '--namespace=la'], 'value of namespace'],
    [['usb', 'join', '--output', ''], 'value of output'],
    [['usb', 'join', '--yes', ''], 'argument device'],
    [['usb', 'join', '--yes='], 'value of yes'],
    [['usb', 'join', '--context', ''], 'value of context'],
    [['local', '--context', ''], 'nothing'],
    [['usb', 'join', '--unknown='], 'nothing'],
    [['nope', ''], 'nothing'],
    [['nope', '-'], []],
    [['local', ''], 'nothing'],
    [
      ['local', '-'],
      ['output', 'help'],
    ],
    [['usb', '-'], ['help']],
  ])('of %j is %j', (words, expected) => {
    expect(told(completionTarget(root, words).target)).toEqual(expected);
  });

  it('has the values of the verb at hand, not of another one with a flag of that name', () => {
    const { target } = at('usb', 'join', '-o', '');
    expect(target.kind === 'value' && target.flag.choices).toEqual(['json', 'path=TEXT']);
  });

  it('offers the flags that are not there yet, and those that may be repeated', () => {
    const flags = told(at('usb', 'join', '-y', '--as-group=a', '--output', 'json', '--').target);
    expect(flags).toEqual(expect.arrayContaining(['namespace', 'as-group', 'context', 'help']));
    expect(flags).not.toEqual(expect.arrayContaining(['yes']));
    expect(flags).not.toEqual(expect.arrayContaining(['output']));
  });

  it('takes only the value of a flag for what is typed', () => {
    expect(at('usb', 'join', '--namespace=la').typed).toBe('la');
    expect(at('usb', 'join', '--namespace', 'la').typed).toBe('la');
    expect(at('usb', 'jo').typed).toBe('jo');
  });

  it('knows the flags before, which say whom to ask', () => {
    const { args } = at('usb', 'join', '-nlab', '--context=c', '--as-group=a', '--as-group', 'b', '-y', 'd');
    expect([args.text('namespace'), args.text('context'), args.texts('as-group'), args.isOn('yes')]).toEqual([
      'lab',
      'c',
      ['a', 'b'],
      true,
    ]);
    expect(at('usb', 'join', '-n', 'l').args.text('namespace')).toBeUndefined();
  });

  it('cannot tell behind a switch with a value that is none', () => {
    expect(codeOf(() => at('usb', 'join', '--yes=perhaps', ''))).toBe('USAGE');
  });
});
