// Contract: why the server refuses a call, and what the client makes of it.
import { expect, it, onTestFinished } from 'vitest';
import type { ClusterConnection } from '../../../proto/kube/connection.ts';
import { createKubeClient } from '../../../proto/kube/rest/kube-client.ts';
import { codeOf, take, typedErrorOf } from '../../support/kube-connection.ts';
import { type Gadget, gadgets, RESERVED, UNLUCKY } from './gadget-kind.ts';
import type { Subject } from './kube-under-test.ts';
import { configMaps, OwnObjects } from './own-objects.ts';

export function refusalCases(subject: () => Subject): void {
  it('a missing object and a missing kind are told apart', async () => {
    const { client, namespace } = new OwnObjects(subject());
    const unknown = { group: '', version: 'v1', plural: 'things' };
    const foreign = { group: 'nobody.example', version: 'v1', plural: 'things' };
    const nobody = { namespace, name: 'nobody' };
    for (const type of [configMaps, gadgets]) {
      expect(await codeOf(client.get(type, nobody))).toBe('NOT_FOUND');
    }
    for (const type of [unknown, foreign, { ...gadgets, version: 'v2' }]) {
      expect(await codeOf(client.get(type, nobody))).toBe('API_NOT_SERVED');
      expect(await codeOf(client.list(type, { namespace }))).toBe('API_NOT_SERVED');
      expect(await codeOf(take(client.watch(type, '1')))).toBe('API_NOT_SERVED');
    }
  });

  it.each<[string, unknown, string]>([
    ['has a number below the least', { size: 0 }, 'spec.size'],
    ['has text for a number', { size: 'big' }, 'spec.size'],
    ['has no list value that is allowed', { size: 1, mode: 'loud' }, 'spec.mode'],
    ['lacks a field', {}, 'spec.size'],
  ])('an object that %s is invalid, and the error names the field', async (_, spec, field) => {
    const own = new OwnObjects(subject());
    const error = await typedErrorOf(own.makeGadget('a', spec as Gadget['spec']));
    expect([error.code, error.message]).toEqual(['INVALID_OBJECT', expect.stringContaining(`${field}: `)]);
    const made = await own.makeGadget('b');
    const patched = own.client.patch(gadgets, own.key(made), 'merge', {
      spec: { size: null, ...(spec as object) },
    });
    expect((await typedErrorOf(patched)).message).toContain(`${field}: `);
  });

  it('all invalid fields are named at once, and those of the status are checked too', async () => {
    const own = new OwnObjects(subject());
    const { message } = await typedErrorOf(own.makeGadget('a', { size: 0, mode: 'loud' }));
    for (const field of ['spec.size', 'spec.mode']) expect(message).toContain(field);
    const made = await own.makeGadget('b');
    const status = own.client.patch(
      gadgets,
      own.key(made),
      'merge',
      { status: { seen: 'x' } },
      { subresource: 'status' },
    );
    expect((await typedErrorOf(status)).message).toContain('status.seen: ');
  });

  it('a field that the schema does not know is dropped', async () => {
    const own = new OwnObjects(subject());
    const spec = { size: 1, colour: 'red' } as Gadget['spec'];
    expect((await own.makeGadget('a', spec)).spec).toEqual({ size: 1 });
  });

  it.each([
    ['INVALID_OBJECT', UNLUCKY],
    ['FORBIDDEN', RESERVED],
  ])(
    'what an admission policy denies is %s with the message of the policy',
    async (code, { size, message }) => {
      const own = new OwnObjects(subject());
      const created = await typedErrorOf(own.makeGadget('a', { size }));
      expect([created.code, created.message]).toEqual([code, expect.stringContaining(message)]);
      expect(created.hint ?? '').not.toContain('can-i');
      const made = await own.makeGadget('b');
      const patched = await typedErrorOf(
        own.client.patch(gadgets, own.key(made), 'merge', { spec: { size } }),
      );
      expect([patched.code, patched.message]).toEqual([code, expect.stringContaining(message)]);
      expect(await own.client.get(gadgets, own.key(made))).toEqual(made);
    },
  );

  it('a user without rights is forbidden, whatever the verb, and is told which right is missing', async () => {
    const own = new OwnObjects(subject());
    const jane = clientOf(subject().kube.jane);
    const { namespace } = own;
    const made = await own.make('a');
    const calls: Record<string, () => Promise<unknown>> = {
      get: () => jane.get(configMaps, own.key(made)),
      list: () => jane.list(configMaps, { namespace }),
      watch: () => take(jane.watch(configMaps, '1', { namespace })),
      create: () => jane.create(configMaps, own.configMap('b')),
      update: () => jane.update(configMaps, made),
      patch: () => jane.patch(configMaps, own.key(made), 'merge', {}),
      delete: () => jane.delete(configMaps, own.key(made)),
    };
    for (const [verb, call] of Object.entries(calls)) {
      const { code, message } = await typedErrorOf(call());
      expect([code, message]).toEqual(['FORBIDDEN', expect.stringContaining(`User "jane" cannot ${verb} `)]);
    }
  });

  it('a token that nobody has is not authenticated', async () => {
    expect(await codeOf(clientOf(subject().kube.stranger).list(configMaps))).toBe('UNAUTHENTICATED');
  });

  it('a call that the server puts off is made again after the time it asked for', async () => {
    const own = new OwnObjects(subject());
    const { busy, overload } = subject().kube;
    const client = clientOf(busy);
    await overload();
    const begin = performance.now();
    await client.create(configMaps, own.configMap('a'));
    expect(performance.now() - begin).toBeGreaterThan(950);
    expect((await own.client.list(configMaps, own.selection)).items).toHaveLength(1);
  });
}

function clientOf(connection: ClusterConnection) {
  const client = createKubeClient(connection);
  onTestFinished(() => client.close());
  return client;
}
