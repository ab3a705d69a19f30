// A driver that does nothing but answer who it is: what a busy one is compared with on a node whose processor is shared.
// node test/support/idle-registrar.ts <socket>
import { ServerCredentials } from '@grpc/grpc-js';
import { createRegistrationServer } from '../../node/dra/registration.ts';

const [socket = ''] = process.argv.slice(2);
const server = createRegistrationServer('/nowhere', () => undefined);
server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
  console.log('listening');
});
