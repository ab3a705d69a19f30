// Asks the driver who it is, as the kubelet does when the registry socket appears, again and again for a while, on the
// node where it serves; prints the milliseconds of each answer as JSON: node test/support/get-info.ts <seconds>
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentials } from '@grpc/grpc-js';
import { DRIVER, KUBELET } from '../../proto/api/names.ts';
import { RegistrationClient } from '../../proto/kubelet/gen/registration.ts';

/** Milliseconds between an answer and the next question. */
const PAUSE = 20;

const seconds = Number(process.argv[2]);
const socket = join(KUBELET.registry, `${DRIVER}-reg.sock`);
const client = new RegistrationClient(`unix:${socket}`, credentials.createInsecure());

function ask(): Promise<number> {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    client.getInfo({}, (error) => (error ? reject(error) : resolve(performance.now() - begin)));
  });
}

// The first one connects.
await ask();
const end = performance.now() + seconds * 1000;
const times: number[] = [];
while (performance.now() < end) {
  times.push(await ask());
  await sleep(PAUSE);
}
client.close();
console.log(JSON.stringify(times));
