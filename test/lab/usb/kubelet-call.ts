// Calls the agent of a node in place of its kubelet, with a program that runs on the node.
import type { ObjectRef } from '../../../proto/api/gen/usb-node-status.ts';
import type { Device } from '../../../proto/kubelet/gen/dra-v1.ts';
import type { Cluster } from '../cluster.ts';
import { CHECKOUT } from '../guest-files.ts';
import type { LabNode } from '../node.ts';

/** Rejects with the driver's error. */
export async function prepare(node: LabNode, claim: ObjectRef): Promise<Device[]> {
  return JSON.parse(await call(node, 'prepare', claim)) as Device[];
}

export async function unprepare(node: LabNode, claim: ObjectRef): Promise<void> {
  await call(node, 'unprepare', claim);
}

function call(node: LabNode, verb: string, { namespace, name, uid }: ObjectRef): Promise<string> {
  return node.ok(`node ${CHECKOUT}/test/support/kubelet-call.ts ${verb} ${namespace} ${name} ${uid}`);
}

export async function claimRef(cluster: Cluster, name: string): Promise<ObjectRef> {
  interface Named {
    readonly metadata: ObjectRef;
  }
  const { metadata } = await cluster.get<Named>('resourceclaim', name);
  return { namespace: metadata.namespace, name, uid: metadata.uid };
}
