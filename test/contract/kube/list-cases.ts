// Contract: lists come whole, in pages, and selected.
import { expect, it } from 'vitest';
import type { KubeObject, ResourceType } from '../../../proto/kube/client.ts';
import { createKubeClient } from '../../../proto/kube/rest/kube-client.ts';
import { codeOf } from '../../support/kube-connection.ts';
import type { Subject } from './kube-under-test.ts';
import { type ConfigMap, configMaps, OwnObjects } from './own-objects.ts';

const pods: ResourceType = { group: '', version: 'v1', plural: 'pods' };

export function listCases(subject: () => Subject): void {
  it('follows pages to the end: every object once', async () => {
    const own = new OwnObjects(subject());
    for (const suffix of ['a', 'b', 'c', 'd', 'e']) await own.make(suffix);
    const list = await own.client.list<ConfigMap>(configMaps, { ...own.selection, limit: 2 });
    expect(own.suffixes(list.items)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(Number(list.resourceVersion)).toBeGreaterThan(0);
  });

  it('shows one state over all its pages, whatever is written between them', async () => {
    const own = new OwnObjects(subject());
    const [first] = [await own.make('a'), await own.make('b'), await own.make('c')];
    const client = betweenPages(subject(), async () => {
      await own.client.delete(configMaps, own.key(first));
      await own.make('d');
    });
    const list = await client.list(configMaps, { ...own.selection, limit: 2 });
    expect(own.suffixes(list.items)).toEqual(['a', 'b', 'c']);
    client.close();
  });

  it('begins again when the server has forgotten the state of its first page', async () => {
    const own = new OwnObjects(subject());
    for (const suffix of ['a', 'b', 'c']) await own.make(suffix);
    const client = betweenPages(subject(), async () => {
      await own.make('d');
      await subject().kube.forget();
    });
    const list = await client.list(configMaps, { ...own.selection, limit: 2 });
    expect(own.suffixes(list.items)).toEqual(['a', 'b', 'c', 'd']);
    client.close();
  });

  it('gives items their kind, which built-in kinds lack on the wire', async () => {
    const own = new OwnObjects(subject());
    await own.make('a');
    const { items } = await own.client.list(configMaps, own.selection);
    expect(items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
  });

  it('selects by labels: equality, sets, existence', async () => {
    const own = new OwnObjects(subject());
    await own.make('a', {}, { tier: 'web', zone: '1' });
    await own.make('b', {}, { tier: 'db' });
    await own.make('c');
    const { labelSelector, ...rest } = own.selection;
    const select = async (text: string) => {
      const options = { ...rest, labelSelector: `${labelSelector},${text}` };
      return own.suffixes((await own.client.list(configMaps, options)).items);
    };
    expect(await select('tier=web')).toEqual(['a']);
    expect(await select('tier!=web')).toEqual(['b', 'c']);
    expect(await select('tier in (web,db)')).toEqual(['a', 'b']);
    expect(await select('tier notin (web)')).toEqual(['b', 'c']);
    expect(await select('tier')).toEqual(['a', 'b']);
    expect(await select('tier,!zone')).toEqual(['b']);
    const wrong = { ...rest, labelSelector: 'tier in (' };
    expect(await codeOf(own.client.list(configMaps, wrong))).toBe('INVALID_OBJECT');
  });

  it('selects by fields and refuses those that are not selectable', async () => {
    const own = new OwnObjects(subject());
    await own.make('a');
    await own.make('b');
    const select = async (fieldSelector: string) =>
      own.suffixes((await own.client.list(configMaps, { ...own.selection, fieldSelector })).items);
    expect(await select(`metadata.name=${own.group}-b`)).toEqual(['b']);
    expect(await select(`metadata.name!=${own.group}-b`)).toEqual(['a']);
    expect(await codeOf(select('data.x=1'))).toBe('INVALID_OBJECT');
  });

  it('selects pods by their node', async () => {
    const own = new OwnObjects(subject());
    const pod = (suffix: string, nodeName?: string): KubeObject & { spec: object } => ({
      metadata: own.configMap(suffix).metadata,
      // A pod that no kubelet knows is then gone with its deletion.
      spec: {
        ...(nodeName && { nodeName }),
        // A cluster with nodes would give the other one a place.
        schedulerName: 'nobody',
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'c', image: 'none' }],
      },
    });
    await own.client.create(pods, pod('here', 'contract-node'));
    await own.client.create(pods, pod('nowhere'));
    const select = async (fieldSelector: string) =>
      own.suffixes((await own.client.list(pods, { ...own.selection, fieldSelector })).items);
    expect(await select('spec.nodeName=contract-node')).toEqual(['here']);
    expect(await select('spec.nodeName=')).toEqual(['nowhere']);
    expect(await select('spec.nodeName!=contract-node')).toEqual(['nowhere']);
  });
}

/** A client that does `act` before its second request: credentials are asked for once a request. */
function betweenPages({ kube: { admin } }: Subject, act: () => Promise<void>) {
  let requests = 0;
  return createKubeClient({
    ...admin,
    credentials: async () => {
      if (++requests === 2) await act();
      return admin.credentials();
    },
  });
}
