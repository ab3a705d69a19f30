// What a person sees of a long command, on a terminal and in a log.
import { describe, expect, it } from 'vitest';
import { Progress } from '../../../plugin/output/progress.ts';
import type { Screen } from '../../../plugin/run/host.ts';

function screen(given: Partial<Screen> = {}) {
  const seen = { text: '' };
  const write = (text: string) => {
    seen.text += text;
  };
  return { seen, screen: { write, isTerminal: false, columns: 40, colour: false, ...given } };
}

/** A clock that a test sets, in seconds. */
function started(given: Partial<Screen> = {}) {
  const clock = { seconds: 100 };
  const { seen, screen: target } = screen(given);
  return { clock, seen, progress: new Progress(target, () => clock.seconds * 1000) };
}

describe('in a log', () => {
  it('each change of state is one line with the seconds since the start', () => {
    const { clock, seen, progress } = started();
    progress.state('asked');
    clock.seconds += 12.9;
    progress.state('asked');
    progress.state('on its way');
    progress.done('attached');
    expect(seen.text).toBe('  0s  asked\n 12s  on its way\n 12s  attached\n');
  });

  it('a state that becomes final is not repeated', () => {
    const { seen, progress } = started();
    progress.state('assigned');
    progress.done('assigned');
    progress.done('assigned');
    expect(seen.text).toBe('  0s  assigned\n  0s  assigned\n');
  });

  it('there are no escapes, not even from the cluster', () => {
    const { seen, progress } = started();
    progress.state('bad \u001b[2J\nthing');
    progress.clear();
    expect(seen.text).toBe('  0s  bad \\x1b[2J\\x0athing\n');
  });
});

describe('on a terminal', () => {
  const CLEAR = '\r\u001b[2K';

  it('one line is rewritten, and what is final stays', () => {
    const { clock, seen, progress } = started({ isTerminal: true });
    progress.state('asked');
    clock.seconds += 1;
    progress.state('asked');
    progress.done('attached');
    expect(seen.text).toBe(`${CLEAR}  0s  asked${CLEAR}  1s  asked${CLEAR}  1s  attached\n`);
  });

  it('the live line never wraps, a final one is whole', () => {
    const { seen, progress } = started({ isTerminal: true, columns: 20 });
    progress.state('x'.repeat(50));
    expect(seen.text).toBe(`${CLEAR}  0s  ${'x'.repeat(12)}…`);
    progress.done('y'.repeat(50));
    expect(seen.text).toContain(`  0s  ${'y'.repeat(50)}\n`);
  });

  it('nothing is cleared that was not written', () => {
    const { seen, progress } = started({ isTerminal: true });
    progress.clear();
    progress.done('a');
    progress.clear();
    expect(seen.text).toBe('  0s  a\n');
  });

  it('a clock that is set back counts no negative seconds', () => {
    const { clock, seen, progress } = started();
    clock.seconds -= 50;
    progress.state('asked');
    expect(seen.text).toBe('  0s  asked\n');
  });
});
