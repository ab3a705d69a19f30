// Settings of a component: precedence, forms, and what a person is told about a bad one.
import { describe, expect, it } from 'vitest';
import { optionHelp, printedConfig } from '../../../node/run/option-help.ts';
import { option } from '../../../node/run/option-kinds.ts';
import { parseOptions } from '../../../node/run/options.ts';

const spec = {
  node: option.text({
    flag: 'node-name',
    env: 'NODE_NAME',
    help: 'This node.',
    form: 'a node name',
    pattern: /^[a-z]+$/,
  }),
  port: option.port({ flag: 'port', env: 'PORT', help: 'Where to listen.', fallback: 4280 }),
  most: option.count({ flag: 'most', help: 'Connections.', fallback: 100, most: 1000 }),
  source: option.choice({
    flag: 'uevents',
    help: 'Source.',
    choices: ['netlink', 'watch'],
    fallback: 'netlink',
  }),
  plain: option.flag({ flag: 'allow-plain-peers', env: 'PLAIN', help: 'Plain peers.' }),
  file: option.optionalText({ flag: 'policy', help: 'Rules.', form: 'a file' }),
};

function parse(argv: string[], env: Record<string, string> = {}) {
  return parseOptions(spec, argv, env).values;
}

function failure(argv: string[], env: Record<string, string> = {}) {
  try {
    parse(argv, env);
  } catch (error) {
    return error as { code: string; message: string; hint: string };
  }
  throw new Error('no error');
}

describe('parseOptions', () => {
  it('takes the flag before the environment before the default', () => {
    expect(parse(['--node-name', 'a', '--port=1'], { PORT: '2' }).port).toBe(1);
    expect(parse(['--node-name', 'a'], { PORT: '2' }).port).toBe(2);
    expect(parse(['--node-name', 'a']).port).toBe(4280);
  });

  it('takes an empty environment variable as absent', () => {
    expect(parse(['--node-name', 'a'], { PORT: '' }).port).toBe(4280);
  });

  it('reads switches without a value and from the environment', () => {
    expect(parse(['--node-name', 'a', '--allow-plain-peers']).plain).toBe(true);
    expect(parse(['--node-name', 'a'], { PLAIN: 'true' }).plain).toBe(true);
    expect(parse(['--node-name', 'a'], { PLAIN: '0' }).plain).toBe(false);
  });

  it('keeps a value that holds an equals sign', () => {
    expect(parse(['--node-name', 'a', '--policy=/x=y']).file).toBe('/x=y');
  });

  it('names the flag and both ways to give a required setting', () => {
    const error = failure([]);
    expect(error.code).toBe('BAD_CONFIG');
    expect(error.message).toContain('--node-name or NODE_NAME');
  });

  it.each([
    [['--node-name', 'A1'], '--node-name'],
    [['--node-name', 'a', '--port', '70000'], '--port'],
    [['--node-name', 'a', '--port', '-1'], '--port'],
    [['--node-name', 'a', '--most', '0'], '--most'],
    [['--node-name', 'a', '--uevents', 'udev'], '--uevents'],
  ])('refuses the value in %j and names the flag', (argv, flag) => {
    const error = failure(argv);
    expect(error.code).toBe('BAD_CONFIG');
    expect(error.message).toContain(flag);
    expect(error.hint).toContain('it must be');
  });

  it('names the environment variable when the bad value came from it', () => {
    expect(failure(['--node-name', 'a'], { PORT: 'x' }).message).toContain('PORT is "x"');
  });

  it('refuses unknown flags, loose words and a flag without its value', () => {
    expect(failure(['--nod', 'a']).code).toBe('USAGE');
    expect(failure(['a']).code).toBe('USAGE');
    expect(failure(['--node-name']).code).toBe('USAGE');
  });

  it('answers --help without a configuration', () => {
    expect(parseOptions(spec, ['--help'], {}).help).toBe(true);
  });
});

describe('help and printed configuration', () => {
  it('lists every flag with its default and variable', () => {
    const help = optionHelp('virt-node x', 'Does x.', spec);
    for (const { flag } of Object.values(spec)) expect(help).toContain(`--${flag}`);
    expect(help).toContain('Default: 4280. [PORT]');
    expect(help).toContain('This node. Required. [NODE_NAME]');
  });

  it('prints one line a setting', () => {
    const { values } = parseOptions(spec, ['--node-name', 'a', '--print-config'], {});
    expect(printedConfig(spec, values)).toBe(
      'node-name=a\nport=4280\nmost=100\nuevents=netlink\nallow-plain-peers=false\npolicy=\n',
    );
  });
});
