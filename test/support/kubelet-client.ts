// The kubelet's side of a driver's socket: one claim a call, errors thrown.
import { credentials, Metadata } from '@grpc/grpc-js';
import type { ObjectRef } from '../../proto/api/gen/usb-node-status.ts';
import { type Device, DRAPluginClient } from '../../proto/kubelet/gen/dra-v1.ts';

export interface KubeletClient {
  prepare(claim: ObjectRef): Promise<Device[]>;
  unprepare(claim: ObjectRef): Promise<void>;
  close(): void;
}

function failed(error: Error | null, text: string | undefined): Error | undefined {
  return error ?? (text ? new Error(text) : undefined);
}

/** `socket` is the path of a `dra.sock`. The calls have the kubelet's deadline of 45 s. */
export function openKubelet(socket: string): KubeletClient {
  const client = new DRAPluginClient(`unix:${socket}`, credentials.createInsecure());
  const options = () => ({ deadline: Date.now() + 45_000 });
  return {
    prepare: (claim) =>
      new Promise((resolve, reject) => {
        client.nodePrepareResources({ claims: [claim] }, new Metadata(), options(), (error, reply) => {
          const answer = reply?.claims[claim.uid];
          const wrong = failed(error, answer ? answer.error : 'the claim is not in the answer');
          if (wrong) reject(wrong);
          else resolve(answer?.devices ?? []);
        });
      }),
    unprepare: (claim) =>
      new Promise((resolve, reject) => {
        client.nodeUnprepareResources({ claims: [claim] }, new Metadata(), options(), (error, reply) => {
          const answer = reply?.claims[claim.uid];
          const wrong = failed(error, answer ? answer.error : 'the claim is not in the answer');
          if (wrong) reject(wrong);
          else resolve();
        });
      }),
    close: () => client.close(),
  };
}
