// Inventories of a node: what is reported as left behind.
import { describe, expect, it } from 'vitest';
import { compareInventories, parseInventory } from '../../lab/inventory.ts';

const TEXT = `
exports 5-1 2
ports hs 0001 006
ports ss 0008 004
cdi /var/run/cdi/x.json
checkpoints abc  /var/lib/kubelet/plugins/d/state.json
`;

describe('an inventory', () => {
  it('has the lines of each section, sorted', () => {
    expect(parseInventory(TEXT)).toEqual({
      ports: ['hs 0001 006', 'ss 0008 004'],
      exports: ['5-1 2'],
      cdi: ['/var/run/cdi/x.json'],
      checkpoints: ['abc  /var/lib/kubelet/plugins/d/state.json'],
      gadgets: [],
    });
  });

  it('does not differ from itself in another order', () => {
    const reversed = TEXT.split('\n').reverse().join('\n');
    expect(compareInventories(parseInventory(TEXT), parseInventory(reversed))).toEqual([]);
  });

  it('tells what is new and what is gone', () => {
    const after = TEXT.replace('exports 5-1 2', 'exports 5-1 1').replace('ports hs 0001 006\n', '');
    expect(compareInventories(parseInventory(TEXT), parseInventory(after))).toEqual([
      'ports: gone: hs 0001 006',
      'exports: new: 5-1 1',
      'exports: gone: 5-1 2',
    ]);
  });
});
