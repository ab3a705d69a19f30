// One call of kubectl virt from its command line to its exit code. Nothing is thrown to the caller.
import { root } from '../commands/root.ts';
import { describeFailure } from '../output/failure.ts';
import type { Host } from './host.ts';
import { parseCall } from './parser.ts';

/** Help pages get no wider than this: longer lines are hard to read. */
const PAGE_WIDTH = 110;

/** Runs the command that `argv` (without node and script) names; resolves to the exit code. */
export async function runProgram(argv: readonly string[], host: Host): Promise<number> {
  // Before the parser: what is completed is not a whole command line yet.
  if (argv[0] === '__complete')
    return (await import('../completion/complete.ts')).complete(argv.slice(1), host);
  try {
    const width = host.stdout.isTerminal ? Math.min(host.stdout.columns, PAGE_WIDTH) : PAGE_WIDTH;
    const call = parseCall(root, argv, width);
    if (call.kind === 'run') return await (await call.verb.load())(call.args, host);
    host.stdout.write(call.text);
    return 0;
  } catch (error) {
    const { text, exit } = describeFailure(error, host.stderr.colour);
    host.stderr.write(text);
    return exit;
  }
}
