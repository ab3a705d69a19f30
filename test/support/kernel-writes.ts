// Loaded into a program before it starts (`node --import`): what it writes below a simulated /sys goes to the simulated
// kernel, and returns when that has acted or refused, as write(2) does; device files that it has open are held there.
// Everything else of the program is untouched.
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { connect, type Socket } from 'node:net';

/** Set by SimulatedNode: the root of the simulated node, and the socket where its kernel answers. */
const { SIMULATED_ROOT = '', SIMULATED_KERNEL = '' } = process.env;

/** One line of JSON each way; an answer with a code is an errno. The connection is left open. */
function ask(request: { readonly path: string; readonly text?: string }): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(SIMULATED_KERNEL);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (!answer.endsWith('\n')) return;
      const { code } = JSON.parse(answer) as { code?: string };
      if (code === undefined) resolve(socket);
      else reject(Object.assign(new Error(`${code}: ${request.path}`), { code }));
    });
    socket.on('error', reject);
    socket.write(`${JSON.stringify(request)}\n`);
  });
}

const open = fs.open.bind(fs);
fs.open = async (path, ...rest) => {
  const handle = await open(path, ...rest);
  if (typeof path !== 'string' || !path.startsWith(`${SIMULATED_ROOT}/`)) return handle;
  const own = path.slice(SIMULATED_ROOT.length);
  if (own.startsWith('/dev/')) return held(handle, own);
  if (!own.startsWith('/sys/')) return handle;
  const write = async (text: string) => {
    const socket = await ask({ path: own, text });
    socket.destroy();
    return { bytesWritten: text.length, buffer: text };
  };
  return Object.assign(handle, { write });
};
syncBuiltinESMExports();

async function held(handle: fs.FileHandle, path: string): Promise<fs.FileHandle> {
  const socket = await ask({ path });
  const close = handle.close.bind(handle);
  return Object.assign(handle, {
    close: async () => {
      socket.destroy();
      await close();
    },
  });
}
