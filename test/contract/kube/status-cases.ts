// Contract: status is a subresource, and generation counts changes of the rest.
import { expect, it } from 'vitest';
import type { KubeObject, ResourceType } from '../../../proto/kube/client.ts';
import { type Gadget, gadgets } from './gadget-kind.ts';
import type { Subject } from './kube-under-test.ts';
import { OwnObjects } from './own-objects.ts';

interface VolumeClaim extends KubeObject {
  spec: { accessModes: string[]; resources: { requests: { storage: string } } };
  status?: { conditions?: { type: string; status: string; message: string }[] };
}

const claims: ResourceType = { group: '', version: 'v1', plural: 'persistentvolumeclaims' };
const status = { subresource: 'status' } as const;

export function statusCases(subject: () => Subject): void {
  it('of a built-in kind is written by its subresource only, which leaves the rest alone', async () => {
    const own = new OwnObjects(subject());
    const { client, namespace, group } = own;
    const conditions = [{ type: 'Resizing', status: 'True', message: 'from a test' }];
    const made = await client.create<VolumeClaim>(claims, {
      metadata: { namespace, generateName: 'status-', labels: { group } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
    });
    const plain = { metadata: { labels: { seen: 'yes' } }, status: { conditions } };
    const unmoved = await client.patch<VolumeClaim>(claims, own.key(made), 'merge', plain);
    expect(unmoved.status?.conditions).toBeUndefined();
    expect(unmoved.metadata.labels).toEqual({ group, seen: 'yes' });
    const both = { spec: { accessModes: ['ReadOnlyMany'] }, status: { conditions } };
    const moved = await client.patch<VolumeClaim>(claims, own.key(made), 'merge', both, status);
    expect(moved.status?.conditions).toMatchObject(conditions);
    expect(moved.spec.accessModes).toEqual(['ReadWriteOnce']);
  });

  it('is not taken from a create', async () => {
    const own = new OwnObjects(subject());
    const made = await own.client.create<Gadget>(gadgets, { ...own.gadget('a'), status: { seen: 1 } });
    expect(made).not.toHaveProperty('status');
  });

  it('and the rest are written apart by updates too', async () => {
    const own = new OwnObjects(subject());
    const made = await own.makeGadget('a', { size: 1 });
    const both: Gadget = { ...made, spec: { size: 2 }, status: { seen: 2 } };
    const seen = await own.client.update(gadgets, both, status);
    expect([seen.spec.size, seen.status]).toEqual([1, { seen: 2 }]);
    const grown = await own.client.update(gadgets, { ...seen, spec: { size: 3 }, status: { seen: 3 } });
    expect([grown.spec.size, grown.status]).toEqual([3, { seen: 2 }]);
  });

  it('written moves the version, not the generation, which grows with the spec alone', async () => {
    const own = new OwnObjects(subject());
    const made = await own.makeGadget('a', { size: 1 });
    const write = async (patch: object, options = {}) => {
      const { metadata } = await own.client.patch(gadgets, own.key(made), 'merge', patch, options);
      return [metadata.generation, Number(metadata.resourceVersion)] as const;
    };
    const before = Number(made.metadata.resourceVersion);
    const [labelled, first] = await write({ metadata: { labels: { seen: 'yes' } } });
    const [seen, second] = await write({ status: { seen: 1 } }, status);
    const [grown, third] = await write({ spec: { size: 2 } });
    expect([made.metadata.generation, labelled, seen, grown]).toEqual([1, 1, 1, 2]);
    const versions = [before, first, second, third];
    expect(new Set(versions).size).toBe(4);
    expect(versions).toEqual(versions.toSorted((x, y) => x - y));
  });
}
