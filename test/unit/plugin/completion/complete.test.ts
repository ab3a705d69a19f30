// What kubectl virt __complete tells a shell.
import { describe, expect, it } from 'vitest';
import { TypedError } from '../../../../proto/api/typed-error.ts';
import type { CallOptions } from '../../../../proto/kube/client.ts';
import { FakeHost, type FakeHostOptions, run } from '../fake-host.ts';
import { FakeKube, forbidden } from '../fake-kube.ts';
import { DISK } from '../lab-facts.ts';

async function ask(words: string[], options: FakeHostOptions = {}) {
  const { code, out, err } = await run(['__complete', ...words], options);
  expect([code, err]).toEqual([0, '']);
  const lines = out.trimEnd().split('\n');
  return {
    directive: lines.at(-1),
    words: lines.slice(0, -1).map((line) => line.split('\t')[0] ?? ''),
    abouts: lines.slice(0, -1).map((line) => line.split('\t')[1]),
  };
}

const slow = () => new Promise<never>(() => undefined);

describe('__complete', () => {
  it('tells commands with what they are for, and no files', async () => {
    const { words, abouts, directive } = await ask(['usb', '']);
    expect(words).toEqual(expect.arrayContaining(['list', 'show']));
    expect(abouts[0]).toContain('List the USB devices');
    expect(directive).toBe(':4');
  });

  it('tells only what begins as typed', async () => {
    expect((await ask(['usb', 'sh'])).words).toEqual(['show']);
    expect((await ask(['usb', 'list', '--no'])).words).toEqual(['--no-headers']);
    expect((await ask(['usb', 'xyz'])).words).toEqual([]);
  });

  it('is no command that help or completion would show', async () => {
    expect((await ask([''])).words).not.toContain('__complete');
    expect((await run('--help')).out).not.toContain('__complete');
  });

  it('tells values of closed sets, and lets the shell go on behind a =', async () => {
    expect((await ask(['usb', 'list', '-o', 'j'])).words).toEqual(['json', 'jsonpath=', 'jsonpath-file=']);
    const columns = await ask(['usb', 'list', '--output=custom']);
    expect(columns).toMatchObject({ words: ['custom-columns=', 'custom-columns-file='], directive: ':6' });
    expect((await ask(['usb', 'list', '--watch='])).words).toEqual(['true', 'false']);
  });

  it('lets the shell complete files where a flag takes one', async () => {
    expect(await ask(['usb', 'list', '--kubeconfig', 'a'])).toMatchObject({ words: [], directive: ':0' });
  });

  it('tells contexts without asking a cluster', async () => {
    const kube = new FakeKube();
    expect((await ask(['usb', 'list', '--context', ''], { kube })).words).toEqual(['lab', 'prod:eu']);
    expect(kube.calls).toEqual([]);
  });

  it('asks no cluster for what it knows itself', async () => {
    const kube = new FakeKube();
    await ask(['usb', 'list', '--'], { kube });
    await ask(['usb', 'list', '-o', ''], { kube });
    await ask(['usb', 'list', ''], { kube });
    expect([kube.calls, kube.closed]).toEqual([[], false]);
  });
});

describe('names of devices', () => {
  it('come with product and node', async () => {
    const { words, abouts } = await ask(['usb', 'show', '']);
    expect(words).toHaveLength(7);
    expect(words.every((word) => word.startsWith('usb-'))).toBe(true);
    expect(abouts[words.indexOf(DISK)]).toMatch(/DataTraveler.* on worker-1/);
  });

  it('are those that begin as typed; a node and bus id or a serial number does too', async () => {
    expect((await ask(['usb', 'show', 'usb-a1'])).words).toEqual([DISK]);
    const places = await ask(['usb', 'show', 'worker-1/']);
    expect(places.words.length).toBeGreaterThan(1);
    expect(places.words.every((word) => /^worker-1\/\d/.test(word))).toBe(true);
  });

  it('never carry escapes or tabs', async () => {
    const { abouts } = await ask(['usb', 'show', '']);
    expect(abouts.join('')).toContain('\\x1b');
    expect(abouts.join('')).not.toContain('\u001b');
  });

  it('come from one request, and the connection is not left to itself', async () => {
    const kube = new FakeKube();
    await ask(['usb', 'show', ''], { kube });
    expect(kube.calls).toEqual(['list usbnodestatuses']);
  });
});

describe('names of the cluster', () => {
  const named = (name: string, namespace?: string) => ({
    metadata: { name, ...(namespace ? { namespace } : {}) },
    status: { phase: 'Running', nodeName: 'worker-1' },
  });

  it('are namespaces behind -n', async () => {
    const kube = new FakeKube({ namespaces: [named('lab'), named('shop'), named('lab-2')] });
    expect((await ask(['usb', 'list', '-n', 'lab'], { kube })).words).toEqual(['lab', 'lab-2']);
  });

  it('are machines with their namespace, or without when it is given', async () => {
    const kube = new FakeKube({
      virtualmachines: [named('web', 'shop'), named('db', 'lab')],
      'virtualmachines@lab': [named('db', 'lab')],
    });
    const everywhere = await ask(['usb', 'attach', DISK, ''], { kube });
    expect(everywhere).toMatchObject({ words: ['web.shop', 'db.lab'] });
    expect(everywhere.abouts[0]).toBe('Running on worker-1');
    expect((await ask(['usb', 'attach', '-n', 'lab', DISK, ''], { kube })).words).toEqual(['db']);
  });
});

describe('a cluster that is of no help', () => {
  it.each([
    ['forbids it', forbidden('usbnodestatuses')],
    ['is away', new TypedError('SERVER_UNREACHABLE', 'no route')],
    ['does not serve the kind', new TypedError('API_NOT_SERVED', 'no such API')],
  ])('because it %s leads to silence', async (_, failure) => {
    const kube = new FakeKube({ usbnodestatuses: failure, virtualmachines: failure });
    expect(await ask(['usb', 'show', ''], { kube })).toMatchObject({ words: [], directive: ':4' });
    expect(await ask(['usb', 'attach', DISK, ''], { kube })).toMatchObject({ words: [], directive: ':4' });
  });

  it('because there is no kubeconfig leads to silence', async () => {
    const connect = async () => {
      throw new TypedError('BAD_KUBECONFIG', 'there is no kubeconfig');
    };
    expect((await ask(['usb', 'show', ''], { connect })).words).toEqual([]);
  });

  it('because it is slow leads to silence after 120 ms, in the connection and in the answer', async () => {
    const pauses: number[] = [];
    const pause = async (milliseconds: number) => {
      pauses.push(milliseconds);
    };
    const kube = new FakeKube();
    kube.list = slow;
    for (const options of [
      { kube, pause },
      { connect: slow, pause },
    ]) {
      expect(await ask(['usb', 'show', ''], options)).toMatchObject({ words: [], directive: ':4' });
    }
    expect(pauses).toEqual([120, 120]);
  });

  it('is told to stop when time is up', async () => {
    const kube = new FakeKube();
    let stopped = false;
    kube.list = (_type, _options, call?: CallOptions) =>
      new Promise<never>(() => {
        call?.signal?.addEventListener('abort', () => {
          stopped = true;
        });
      });
    await ask(['usb', 'show', ''], { kube });
    expect(stopped).toBe(true);
  });

  it('is never asked in a way that could ask a person', async () => {
    const host = new FakeHost();
    const attended: string[] = [];
    const kube = new FakeKube();
    Object.assign(host, {
      connect: async () => attended.push('connect'),
      connectUnattended: async () => kube,
    });
    const { complete } = await import('../../../../plugin/completion/complete.ts');
    expect([await complete(['usb', 'show', ''], host), attended]).toEqual([0, []]);
    expect(host.out).toContain(DISK);
  });

  it.each([[['usb', 'list', '--watch=maybe', '']], [['nope', '']], [['usb', 'list', '--', '--']]])(
    'is not needed for a line without sense: %j',
    async (words) => {
      expect(await ask(words)).toMatchObject({ words: [], directive: ':4' });
    },
  );
});
