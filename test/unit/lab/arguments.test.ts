// Command lines of the lab: of its tests, and of a node's kernel.
import { describe, expect, it } from 'vitest';
import { type KernelSettings, kernelArguments } from '../../lab/kernel-arguments.ts';
import { LabError } from '../../lab/lab-error.ts';
import { parseTestArguments } from '../../lab/test-arguments.ts';
import { testGroups } from '../../lab/test-groups.ts';

const GROUPS = ['ground', 'usb'];

describe('npm run lab:test', () => {
  it('runs all groups without arguments', () => {
    expect(parseTestArguments([], GROUPS)).toEqual({ groups: GROUPS, soak: false, name: undefined });
  });

  it('runs the groups it is given, in full with --soak', () => {
    expect(parseTestArguments(['usb', '--soak', '-t', 'unplug'], GROUPS)).toEqual({
      groups: ['usb'],
      soak: true,
      name: 'unplug',
    });
  });

  it('names the groups that exist when one does not', () => {
    const error = (() => {
      try {
        return parseTestArguments(['usb', 'nonsense'], GROUPS);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(LabError);
    expect(error).toMatchObject({
      message: expect.stringContaining('nonsense'),
      hint: 'groups: ground, usb',
    });
  });

  it('refuses an option that does not exist', () => {
    expect(() => parseTestArguments(['--fast'], GROUPS)).toThrow(
      expect.objectContaining({ code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION' }),
    );
  });

  it('finds the groups as folders with lab tests', () => {
    expect(testGroups()).toContain('ground');
    expect(testGroups()).not.toContain('artefacts');
  });
});

describe('the command line of a kernel', () => {
  const settings: KernelSettings = {
    name: 'a',
    address: '10.7.0.1',
    gateway: '10.7.0.254',
    mac: '52:54:00:00:00:01',
    tap: 'tap0',
    memory: 1536,
    disk: '/tmp/disk.img',
    init: '/tmp/init.sh',
    scratch: '/tmp/uml',
  };

  it('has memory, disk, network and first program', () => {
    expect(kernelArguments(settings)).toEqual(
      expect.arrayContaining([
        'mem=1536M',
        'ubd0=/tmp/disk.img',
        'vec0:transport=tap,ifname=tap0,mac=52:54:00:00:00:01',
        'init=/tmp/init.sh',
        'lab.ip=10.7.0.1',
      ]),
    );
  });

  it('refuses a path with a space, which the kernel would split', () => {
    expect(() => kernelArguments({ ...settings, disk: '/my disk' })).toThrow(RangeError);
  });
});
