// One device, two claims: whoever has it keeps it, the other is told who that is, and gets it afterwards.
import { describe, expect, it } from 'vitest';
import { deleteClaimPod } from './claims.ts';
import { diskOnA } from './disk-on-a.ts';
import { claimRef, prepare } from './kubelet-call.ts';
import { eventOf, secondClaim } from './second-claim.ts';

const stage = diskOnA('HELD1');

const PLACES = [
  { first: 'b', second: 'b', where: 'on the same node' },
  { first: 'b', second: 'a', where: 'on the node of the device, while it is lent to b' },
  { first: 'a', second: 'b', where: 'on b, while the node of the device uses it itself' },
  { first: 'a', second: 'a', where: 'on the node of the device, as the first' },
] as const;

describe('a second claim for a device', () => {
  it.each(PLACES)(
    '$where waits, is refused with the name of the holder, and gets it when the first is deleted',
    async ({ first, second }) => {
      const { cluster } = stage();
      await stage().claim('first', first);
      await secondClaim(cluster, { name: 'second', of: 'first', node: second });
      expect(await eventOf(cluster, 'second', 'default/first')).toContain('DEVICE_BUSY');
      await stage().readable('first');

      const begin = performance.now();
      const refusal = await prepare(cluster.node(second), await claimRef(cluster, 'second')).then(
        () => 'prepared',
        String,
      );
      const waited = performance.now() - begin;
      console.log(`refused after ${Math.round(waited)} ms`);
      expect(refusal).toContain('default/first');
      expect(waited).toBeGreaterThan(4_500);

      await deleteClaimPod(cluster, 'first');
      await stage().readable('second');
    },
  );
});
