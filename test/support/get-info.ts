// Asks the driver who it is, as the kubelet does when the registry socket appears, again and again on the node where it
// serves, and in turn a driver that is idle: prints the milliseconds of all answers as JSON.
// node test/support/get-info.ts <seconds>
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { credentials } from '@grpc/grpc-js';
import { DRIVER, KUBELET } from '../../proto/api/names.ts';
import { RegistrationClient } from '../../proto/kubelet/gen/registration.ts';

/** Milliseconds between an answer and the next question. */
const PAUSE = 20;

const seconds = Number(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'get-info-'));
const idleSocket = join(folder, 'idle.sock');
const idleDriver = spawn(process.execPath, [
  fileURLToPath(new URL('idle-registrar.ts', import.meta.url)),
  idleSocket,
]);
try {
  await once(idleDriver.stdout, 'data');
  const driver = await connect(join(KUBELET.registry, `${DRIVER}-reg.sock`));
  const idle = await connect(idleSocket);
  const times: { driver: number[]; idle: number[] } = { driver: [], idle: [] };
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    times.driver.push(await ask(driver));
    await sleep(PAUSE);
    times.idle.push(await ask(idle));
    await sleep(PAUSE);
  }
  driver.close();
  idle.close();
  console.log(JSON.stringify(times));
} finally {
  idleDriver.kill();
  rmSync(folder, { recursive: true });
}

/** The first answer, which waits for the connection, does not count. */
async function connect(socket: string): Promise<RegistrationClient> {
  const client = new RegistrationClient(`unix:${socket}`, credentials.createInsecure());
  await ask(client);
  return client;
}

function ask(client: RegistrationClient): Promise<number> {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    client.getInfo({}, (error) => (error ? reject(error) : resolve(performance.now() - begin)));
  });
}
