// Unix sockets of a gRPC server: for root only from the first moment, whole when they appear, gone when closed.
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { type Server, ServerCredentials } from '@grpc/grpc-js';
import { TypedError } from '../../proto/api/typed-error.ts';

/** sockaddr_un has room for 108 bytes, the last of which is NUL (unix(7)). */
const LONGEST_PATH = 107;

/** Milliseconds for calls under way when a server closes. */
const LAST_CALLS = 5_000;

function checkLength(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes <= LONGEST_PATH) return;
  throw new TypedError(
    'BAD_CONFIG',
    `socket path ${path} has ${bytes} bytes`,
    `a socket path may have ${LONGEST_PATH} bytes: choose a shorter folder`,
  );
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
}

function shutDown(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.forceShutdown(), LAST_CALLS);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

async function inode(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ ino }) => ino,
    () => undefined,
  );
}

export interface BoundSocket {
  /** Removes the socket unless another instance has put its own there, then lets calls under way finish. */
  close(): Promise<void>;
}

/**
 * Serves `server` at `path`, replacing a socket left there. The socket is made under a hidden name, which the kubelet
 * overlooks, and renamed when it listens with mode 0600. Rejects with BAD_CONFIG (path too long) or KERNEL.
 */
export async function bindSocket(server: Server, path: string): Promise<BoundSocket> {
  checkLength(path);
  const hidden = join(dirname(path), `.${randomBytes(3).toString('hex')}`);
  checkLength(hidden);
  let own: number | undefined;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await bind(server, hidden);
    await chmod(hidden, 0o600);
    own = await inode(hidden);
    await rename(hidden, path);
  } catch (error) {
    server.forceShutdown();
    throw new TypedError('KERNEL', `cannot listen on ${path}: ${(error as Error).message}`, undefined, {
      cause: error,
    });
  }
  return {
    close: async () => {
      // libuv unlinks the name that it bound, which is gone since the rename.
      if ((await inode(path)) === own) await rm(path, { force: true });
      await shutDown(server);
    },
  };
}

function isDeaf(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(false));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
    socket.once('connect', () => socket.destroy());
  });
}

/** Deletes the sockets of instances that ended without closing them: the kubelet would try them for ever. */
export async function removeStaleSockets(folder: string, name: RegExp): Promise<string[]> {
  const files = (await readdir(folder).catch(() => [])).filter((file) => name.test(file));
  const removed: string[] = [];
  for (const file of files) {
    const path = join(folder, file);
    if (!(await isDeaf(path))) continue;
    await rm(path, { force: true });
    removed.push(path);
  }
  return removed;
}
