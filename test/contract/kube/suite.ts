// What a KubeClient and an API server must do together, whether the server is in memory or a real kube-apiserver.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeClient } from '../../../proto/kube/client.ts';
import { createKubeClient } from '../../../proto/kube/rest/kube-client.ts';
import { codeOf } from '../../support/kube-connection.ts';
import { connectionCases } from './connection-cases.ts';
import type { KubeUnderTest, Subject } from './kube-under-test.ts';
import { listCases } from './list-cases.ts';
import { objectCases } from './object-cases.ts';
import { patchCases } from './patch-cases.ts';
import { reflectCases } from './reflect-cases.ts';
import { refusalCases } from './refusal-cases.ts';
import { statusCases } from './status-cases.ts';
import { watchCases } from './watch-cases.ts';

/** `setUp` also undoes itself: what it made is its matter, not the suite's. */
export function kubeClientContract(name: string, setUp: () => Promise<KubeUnderTest>): void {
  describe(`KubeClient with ${name}`, () => {
    let kube: KubeUnderTest;
    let client: KubeClient;
    const subject = (): Subject => ({ kube, client });

    beforeAll(async () => {
      kube = await setUp();
      const { admin, watchSeconds } = kube;
      client = createKubeClient(admin, { watchSeconds: [watchSeconds, watchSeconds] });
    });
    afterAll(() => client?.close());

    describe('objects', () => objectCases(subject));
    describe('patch', () => patchCases(subject));
    describe('status', () => statusCases(subject));
    describe('list', () => listCases(subject));
    describe('watch', () => watchCases(subject));
    describe('reflect', () => reflectCases(subject));
    describe('refusals', () => refusalCases(subject));
    describe('connections', () => connectionCases(subject));

    it('raw paths give JSON or text as the server sends it', async () => {
      expect(await client.getRaw('/version')).toMatchObject({ gitVersion: expect.stringMatching(/^v1\./) });
      expect(await client.getRaw('/readyz')).toBe('ok');
      expect(await codeOf(client.getRaw('/none'))).toBe('API_NOT_SERVED');
    });
  });
}
