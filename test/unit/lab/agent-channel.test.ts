// Many commands over one terminal: answers find their question, late ones are killed, a dead node fails them all.
import { Duplex } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { AgentChannel } from '../../lab/agent-channel.ts';
import { LabError } from '../../lab/lab-error.ts';

let sent: string[];
let stream: Duplex;
let channel: AgentChannel;

beforeEach(() => {
  sent = [];
  stream = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      sent.push(chunk.toString().trim());
      done();
    },
  });
  channel = new AgentChannel(stream);
});

function answer(id: number, code: number, out: string): string {
  return `END ${id} ${code} ${Buffer.from(out).toString('base64')}\r\n`;
}

describe('the channel to a node', () => {
  it('is ready when the node says so', async () => {
    stream.push('READY 1.50\r\n');
    expect(await channel.ready).toBe(1.5);
  });

  it('gives each command its own answer, whatever the order', async () => {
    const one = channel.run('one', 1_000);
    const two = channel.run('two', 1_000);
    stream.push(answer(2, 0, 'second') + answer(1, 3, 'first'));
    expect(await one).toEqual({ out: 'first', code: 3 });
    expect(await two).toEqual({ out: 'second', code: 0 });
  });

  it('joins an answer that comes in pieces', async () => {
    const result = channel.run('x', 1_000);
    for (const byte of answer(1, 0, 'in pieces')) stream.push(byte);
    expect((await result).out).toBe('in pieces');
  });

  it('kills a command whose time is over, and says what it had printed', async () => {
    const result = channel.run('sleep 9', 20);
    const killed = new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (!sent.includes('KILL 1')) return;
        clearInterval(timer);
        resolve();
      }, 5);
    });
    await killed;
    stream.push(answer(1, 137, 'half'));
    await expect(result).rejects.toThrow(/not done after 20 ms[\s\S]*half/);
  });

  it('fails what waits and what comes later once the node is down', async () => {
    const waiting = channel.run('x', 1_000);
    channel.close(new LabError('node a went down'));
    await expect(waiting).rejects.toThrow('went down');
    await expect(channel.run('y', 1_000)).rejects.toThrow('went down');
    await expect(channel.ready).rejects.toThrow('went down');
  });
});
