// What is kept of the objects of the cluster.
import { describe, expect, it } from 'vitest';
import {
  namespaceFacts,
  nodeFacts,
  ownObject,
  sliceFacts,
  templateFacts,
  virtualMachineFacts,
} from '../../../node/controller/object-facts.ts';
import { NODE_ANNOTATIONS, NODE_LABELS, TEMPLATE_ANNOTATIONS } from '../../../proto/api/names.ts';
import type { VirtualMachine } from '../../../proto/api/virtual-machine.ts';
import { nodeUsbDevice, pluggedDevice, START, slice } from '../../support/controller/objects.ts';

const more = { generation: 4, creationTimestamp: 'x', managedFields: [{}] };

describe('nodeFacts', () => {
  const metadata = {
    name: 'a',
    uid: 'u',
    resourceVersion: '9',
    labels: { [NODE_LABELS.gateway]: 'true', zone: 'z' },
    annotations: { [NODE_ANNOTATIONS.totalPorts]: '16', other: 'x' },
    ...more,
  };
  const ready = (status: string, lastTransitionTime?: string) => ({
    conditions: [
      { type: 'MemoryPressure', status: 'False' },
      { type: 'Ready', status, ...(lastTransitionTime !== undefined && { lastTransitionTime }) },
    ],
  });

  it('keeps readiness and the marks of the agent', () => {
    expect(nodeFacts({ metadata, status: ready('True', '2026-01-01T00:00:00Z') })).toEqual({
      metadata: {
        name: 'a',
        uid: 'u',
        resourceVersion: '9',
        labels: { [NODE_LABELS.gateway]: 'true' },
        annotations: { [NODE_ANNOTATIONS.totalPorts]: '16' },
      },
      ready: true,
      since: START,
    });
  });

  it('takes a node as not ready that does not say so', () => {
    for (const status of [undefined, {}, ready('Unknown'), ready('False')]) {
      expect(nodeFacts({ metadata, ...(status && { status }) })).toMatchObject({
        ready: false,
        since: undefined,
      });
    }
  });
});

describe('the other facts', () => {
  it('of a namespace are its name and whether it is on its way out', () => {
    expect(namespaceFacts({ metadata: { name: 'lab', labels: {} } })).toEqual({ metadata: { name: 'lab' } });
    const leaving = { metadata: { name: 'lab', deletionTimestamp: 'now' } };
    expect(namespaceFacts(leaving)).toEqual(leaving);
  });

  it('of a slice are pool and devices', () => {
    const whole = slice('a', [pluggedDevice('usb-1')]);
    const { nodeSelector: _, ...spec } = { ...whole.spec, nodeSelector: { nodeSelectorTerms: [] } };
    expect(sliceFacts({ metadata: { ...whole.metadata, ...more }, spec })).toEqual(whole);
  });

  it('of a template are its owner and the hash', () => {
    const annotations = { [TEMPLATE_ANNOTATIONS.specHash]: 'h', other: 'x' };
    const ownerReferences = [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u' }];
    const metadata = { namespace: 'lab', name: 't', ownerReferences };
    expect(templateFacts({ metadata: { ...metadata, annotations, ...more } })).toEqual({
      metadata: { ...metadata, annotations: { [TEMPLATE_ANNOTATIONS.specHash]: 'h' } },
    });
  });

  it('of a virtual machine are what it wants and has, and where it is', () => {
    const usbDevices = [{ name: 'usb-1', attached: true, ready: true }];
    const vm: VirtualMachine = {
      metadata: { namespace: 'lab', name: 'vm', uid: 'u', ...more },
      spec: { usbDevices: [{ name: 'usb-1' }] },
      status: { phase: 'Running', nodeName: 'a', usbDevices },
    };
    expect(virtualMachineFacts(vm)).toEqual({
      metadata: { namespace: 'lab', name: 'vm' },
      spec: { usbDevices: [{ name: 'usb-1' }] },
      status: { nodeName: 'a', usbDevices },
    });
    const bare = { metadata: { namespace: 'lab', name: 'vm' }, spec: {} };
    expect(virtualMachineFacts(bare)).toEqual({ ...bare, status: {} });
  });

  it('of our own objects are all but who wrote which field', () => {
    const object = nodeUsbDevice('usb-1', { assignedNamespace: 'lab' });
    expect(ownObject({ ...object, metadata: { ...object.metadata, managedFields: [{}] } })).toEqual(object);
  });
});
