// The output of `usb list` in every format, byte for byte.
import { describe, expect, it } from 'vitest';
import { run } from '../../unit/plugin/fake-host.ts';
import { FakeKube } from '../../unit/plugin/fake-kube.ts';

describe('kubectl virt usb list', () => {
  it('prints every device with its state in a pipe, uncut', async () => {
    const { code, out, err } = await run('usb list');
    expect([code, err]).toEqual([0, '']);
    await expect(out).toMatchFileSnapshot('list-table.txt');
  });

  it('adds port, class, transport and rule with -o wide', async () => {
    await expect((await run('usb list -owide')).out).toMatchFileSnapshot('list-wide.txt');
  });

  it('prints a List of USBNodeStatus objects with -o json', async () => {
    await expect((await run('usb list -ojson')).out).toMatchFileSnapshot('list.json.txt');
  });

  it('prints the same as YAML with -o yaml', async () => {
    await expect((await run('usb list -o yaml')).out).toMatchFileSnapshot('list.yaml.txt');
  });

  it('prints names for xargs with -o name', async () => {
    await expect((await run('usb list --output=name')).out).toMatchFileSnapshot('list-name.txt');
  });

  it('shortens names and cuts long products on a terminal', async () => {
    await expect((await run('usb list', { columns: 130 })).out).toMatchFileSnapshot('list-terminal.txt');
  });

  it('colours states on a terminal', async () => {
    const { out } = await run('usb list -n lab', { columns: 200, colour: true });
    await expect(out).toMatchFileSnapshot('list-colour.txt');
  });

  it('lists what a namespace holds or is offered', async () => {
    await expect((await run('usb list -nlab')).out).toMatchFileSnapshot('list-namespace.txt');
  });

  it('says on stderr that there is nothing', async () => {
    const { code, out, err } = await run('usb list', {
      kube: new FakeKube({ usbnodestatuses: [], resourceclaims: [] }),
    });
    expect([code, out]).toEqual([0, '']);
    await expect(err).toMatchFileSnapshot('list-nothing.txt');
  });
});
