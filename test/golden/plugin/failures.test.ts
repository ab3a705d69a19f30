// Every form of error of the command line, byte for byte, with its exit code.
import { describe, expect, it } from 'vitest';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { run } from '../../unit/plugin/fake-host.ts';
import { FakeKube } from '../../unit/plugin/fake-kube.ts';

const LINES: Record<string, string[]> = {
  'unknown command': ['usb', 'lsit'],
  'unknown command that is near to nothing': ['frobnicate'],
  'unknown flag': ['usb', 'list', '--wach'],
  'unknown short flag': ['usb', 'list', '-Aq'],
  'flag without value': ['usb', 'list', '-o'],
  'switch with a strange value': ['usb', 'list', '--watch=maybe'],
  'unknown format': ['usb', 'list', '-oxml'],
  'watch of a document': ['usb', 'list', '-w', '-ojson'],
  'wrong template': ['usb', 'list', '-o', 'jsonpath={.items[*].metadata.nam'],
  'wrong index in a template': [
    'usb',
    'list',
    '-o',
    'jsonpath={.items[?(@.metadata.name=="worker-1")][one]}',
  ],
  'wrong comparison in a template': ['usb', 'list', '-ojsonpath={.items[?(@.metadata.name==1)]}'],
  'template without text': ['usb', 'list', '-o', 'jsonpath='],
  'template file that is missing': ['usb', 'list', '-o', 'jsonpath-file=/no/such/file'],
  'column without path': ['usb', 'list', '-o', 'custom-columns=NAME'],
  'order by nothing': ['usb', 'list', '--sort-by=.metadata.nam'],
  'device missing': ['usb', 'show'],
  'empty selector': ['usb', 'show', ''],
  'two devices given': ['usb', 'show', 'ft232r', 'uart'],
  'ambiguous selector': ['usb', 'show', '0403:6001'],
  'ambiguous words': ['usb', 'show', 'usb'],
  'unknown device': ['usb', 'show', 'no such thing at all'],
  'unknown device that is nearly known': ['usb', 'show', '0403:6002'],
  'misspelt product': ['usb', 'show', 'yubikei'],
};

describe('errors', () => {
  it('have one form each', async () => {
    const report: string[] = [];
    for (const [name, argv] of Object.entries(LINES)) {
      const { code, out, err } = await run(argv);
      expect(out).toBe('');
      report.push(`# ${name}: ${argv.join(' ')}\n${err}exit ${code}\n`);
    }
    await expect(report.join('\n')).toMatchFileSnapshot('errors.txt');
  });

  it('of a cluster keep their code and never carry escapes to the terminal', async () => {
    const error = new TypedError(
      'FORBIDDEN',
      'user \u001b]0;x\u0007 may not list',
      'ask\u202e an administrator',
    );
    const { code, err } = await run('usb list', {
      kube: new FakeKube({ usbnodestatuses: error }),
      colour: true,
    });
    expect(code).toBe(4);
    await expect(err).toMatchFileSnapshot('error-unsafe.txt');
  });

  it('say what to install where the API is not served', async () => {
    const error = new TypedError('API_NOT_SERVED', 'the server has no usbnodestatuses');
    const { code, err } = await run('usb list', { kube: new FakeKube({ usbnodestatuses: error }) });
    expect(code).toBe(3);
    await expect(err).toMatchFileSnapshot('error-not-served.txt');
  });
});
