// Loaded into a program before it starts (`node --import`): what it writes below a simulated /sys goes to the simulated
// kernel, and returns when that has acted or refused, as write(2) does. Everything else of the program is untouched.
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { connect } from 'node:net';

/** Set by SimulatedNode: the root of the simulated node, and the socket where its kernel answers. */
const { SIMULATED_ROOT = '', SIMULATED_KERNEL = '' } = process.env;

/** One line of JSON each way; an answer with a code is an errno. */
function ask(path: string, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(SIMULATED_KERNEL);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('error', reject);
    socket.on('end', () => {
      const { code } = JSON.parse(answer) as { code?: string };
      if (code === undefined) resolve();
      else reject(Object.assign(new Error(`${code}: write ${path}`), { code }));
    });
    socket.end(`${JSON.stringify({ path, text })}\n`);
  });
}

const open = fs.open.bind(fs);
fs.open = async (path, ...rest) => {
  const handle = await open(path, ...rest);
  if (typeof path !== 'string' || !path.startsWith(`${SIMULATED_ROOT}/sys/`)) return handle;
  const write = async (text: string) => {
    await ask(path.slice(SIMULATED_ROOT.length), text);
    return { bytesWritten: text.length, buffer: text };
  };
  return Object.assign(handle, { write });
};
syncBuiltinESMExports();
