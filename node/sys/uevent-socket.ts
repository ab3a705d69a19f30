// The kernel's uevent broadcast as a stream: one datagram, one chunk.
import { Socket } from 'node:net';
import { endianness } from 'node:os';
import { callFailed } from './call-failed.ts';
import { libc } from './libc.ts';
import { SOL_SOCKET, trySetOption } from './set-option.ts';
import { socketPair } from './socket-pair.ts';

const AF_NETLINK = 16;
const SOCK_RAW = 3;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const NETLINK_KOBJECT_UEVENT = 15;
/** Group 1 has the kernel's own messages, group 2 what udevd makes of them. */
const KERNEL_GROUP = 1;
const SO_RCVBUF = 8;
const SO_RCVBUFFORCE = 33;
/** Bytes: room for some thousand events while the event loop is busy. */
const RECEIVE_BUFFER = 4 << 20;

/**
 * Node has no public way to read a netlink socket with its event loop. It takes a stream socket, so it gets one of a
 * pair, and before the loop first polls it the netlink socket is put in its place: a poll does not ask what a descriptor
 * is. Emits `data` for each datagram and `error` with code ENOBUFS when events were lost, after which it is closed.
 * Only processes with CAP_NET_ADMIN can send to it (lib/kobject_uevent.c), so senders are not checked. Throws KERNEL.
 */
export function openUeventSocket(): Socket {
  const netlink = openNetlink();
  try {
    const [place, other] = socketPair('stream');
    libc().close(other);
    const socket = new Socket({ fd: place, readable: true, writable: false });
    if (libc().dup3(netlink, place, SOCK_CLOEXEC) < 0) {
      const error = callFailed('dup3');
      socket.destroy();
      throw error;
    }
    return socket;
  } finally {
    libc().close(netlink);
  }
}

function openNetlink(): number {
  const netlink = libc().socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
  if (netlink < 0) throw callFailed('socket(AF_NETLINK)');
  // The first needs CAP_NET_ADMIN; the second is cut to net.core.rmem_max. With less room more events are lost under
  // load, and each loss is reported.
  if (!trySetOption(netlink, SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER)) {
    trySetOption(netlink, SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER);
  }
  const address = kernelGroupAddress();
  if (libc().bind(netlink, address, address.length) === 0) return netlink;
  const error = callFailed('bind(AF_NETLINK)');
  libc().close(netlink);
  throw error;
}

/** struct sockaddr_nl in the byte order of the machine: family, padding, port chosen by the kernel, groups. */
function kernelGroupAddress(): Uint8Array {
  const view = new DataView(new ArrayBuffer(12));
  const little = endianness() === 'LE';
  view.setUint16(0, AF_NETLINK, little);
  view.setUint32(8, KERNEL_GROUP, little);
  return new Uint8Array(view.buffer);
}
