// Contract: objects are created, updated and deleted.
import { expect, it } from 'vitest';
import { codeOf } from '../../support/kube-connection.ts';
import { gadgets } from './gadget-kind.ts';
import type { Subject } from './kube-under-test.ts';
import { type ConfigMap, configMaps, OwnObjects } from './own-objects.ts';

export function objectCases(subject: () => Subject): void {
  it('a created object has uid, version and time, and reads back equal', async () => {
    const own = new OwnObjects(subject());
    const made = await own.make('a', { color: 'grün ✓' });
    expect(made.metadata).toMatchObject({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resourceVersion: expect.stringMatching(/^\d+$/),
      creationTimestamp: expect.stringMatching(/^[\d-]+T[\d:]+Z$/),
    });
    expect(await own.client.get<ConfigMap>(configMaps, own.key(made))).toEqual(made);
    expect(made.data).toEqual({ color: 'grün ✓' });
  });

  it('generateName makes different names', async () => {
    const { client, namespace, group } = new OwnObjects(subject());
    const object: ConfigMap = { metadata: { namespace, generateName: `${group}-` }, data: {} };
    const made = [await client.create(configMaps, object), await client.create(configMaps, object)];
    expect(new Set(made.map(({ metadata }) => metadata.name)).size).toBe(2);
    expect(made[0]?.metadata.name).toMatch(new RegExp(`^${group}-[a-z0-9]{5}$`));
  });

  it('a second object of the same name is a conflict', async () => {
    const own = new OwnObjects(subject());
    await own.make('a');
    expect(await codeOf(own.make('a'))).toBe('CONFLICT');
  });

  it('an object without a valid name is invalid', async () => {
    const { client, namespace } = new OwnObjects(subject());
    for (const metadata of [{ namespace }, { namespace, name: 'A_b' }]) {
      expect(await codeOf(client.create(configMaps, { metadata }))).toBe('INVALID_OBJECT');
    }
  });

  it('a dry run checks everything and changes nothing', async () => {
    const own = new OwnObjects(subject());
    const { client } = own;
    const dryRun = { dryRun: true };
    const dry = await client.create(configMaps, own.configMap('a'), dryRun);
    expect(dry.metadata.uid).toBeDefined();
    expect(await codeOf(client.get(configMaps, own.key(dry)))).toBe('NOT_FOUND');
    const made = await own.make('a', { n: '1' });
    expect(await codeOf(client.create(configMaps, own.configMap('a'), dryRun))).toBe('CONFLICT');
    const data = { n: '2' };
    expect((await client.update(configMaps, { ...made, data }, dryRun)).data).toEqual(data);
    expect(await client.patch(configMaps, own.key(made), 'merge', { data }, dryRun)).toMatchObject({ data });
    expect(await client.get(configMaps, own.key(made))).toEqual(made);
  });

  it('an update changes an object and its version, and nothing of its identity', async () => {
    const own = new OwnObjects(subject());
    const made = await own.make('a', { n: '1' });
    const changed = await own.client.update(configMaps, { ...made, data: { n: '2' } });
    expect(changed.data).toEqual({ n: '2' });
    expect(Number(changed.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
    expect(changed.metadata.uid).toBe(made.metadata.uid);
  });

  it('an update of an older version or of another uid is a conflict and changes nothing', async () => {
    const own = new OwnObjects(subject());
    const made = await own.make('a', { n: '1' });
    const { metadata } = await own.client.update(configMaps, { ...made, data: { n: '2' } });
    const data = { n: '3' };
    expect(await codeOf(own.client.update(configMaps, { ...made, data }))).toBe('CONFLICT');
    const other = { data, metadata: { ...metadata, uid: '00000000-0000-0000-0000-000000000000' } };
    expect(await codeOf(own.client.update(configMaps, other))).toBe('CONFLICT');
    expect((await own.client.get<ConfigMap>(configMaps, own.key(made))).data).toEqual({ n: '2' });
  });

  it('an update that changes nothing keeps the version', async () => {
    const own = new OwnObjects(subject());
    const made = await own.make('a', { n: '1' });
    const again = await own.client.update(configMaps, made);
    expect(again.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
  });

  it('an update of what is missing is not found; one of a custom kind needs a version', async () => {
    const own = new OwnObjects(subject());
    expect(await codeOf(own.client.update(configMaps, own.configMap('nobody')))).toBe('NOT_FOUND');
    await own.makeGadget('a');
    expect(await codeOf(own.client.update(gadgets, own.gadget('a')))).toBe('INVALID_OBJECT');
  });

  it('a delete removes an object; a second one finds nothing', async () => {
    const own = new OwnObjects(subject());
    const made = await own.make('a');
    await own.client.delete(configMaps, own.key(made));
    expect(await codeOf(own.client.delete(configMaps, own.key(made)))).toBe('NOT_FOUND');
  });

  it('a delete with the uid or the version of another object is a conflict', async () => {
    const own = new OwnObjects(subject());
    const made = await own.make('a');
    const { uid = '', resourceVersion = '' } = made.metadata;
    for (const other of [{ uid: 'other' }, { resourceVersion: '1' }]) {
      expect(await codeOf(own.client.delete(configMaps, own.key(made), other))).toBe('CONFLICT');
    }
    await own.client.delete(configMaps, own.key(made), { uid, resourceVersion });
    expect(await codeOf(own.client.get(configMaps, own.key(made)))).toBe('NOT_FOUND');
  });

  it('a delete of an object with finalizers waits for the last one', async () => {
    const own = new OwnObjects(subject());
    const { client } = own;
    const object = own.configMap('a');
    const finalizers = ['kubectl-virt.dev/one', 'kubectl-virt.dev/two'];
    const made = await client.create(configMaps, {
      ...object,
      metadata: { ...object.metadata, finalizers },
    });
    const release = (rest: string[] | null) =>
      client.patch(configMaps, own.key(made), 'merge', { metadata: { finalizers: rest } });
    await client.delete(configMaps, own.key(made));
    await release(['kubectl-virt.dev/two']);
    const waiting = await client.get(configMaps, own.key(made));
    expect(waiting.metadata.deletionTimestamp).toBeDefined();
    expect(await codeOf(release(finalizers))).toBe('INVALID_OBJECT');
    await release(null);
    expect(await codeOf(client.get(configMaps, own.key(made)))).toBe('NOT_FOUND');
  });
}
