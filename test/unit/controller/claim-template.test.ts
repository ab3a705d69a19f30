// The ResourceClaimTemplate of a USBDevice, to the letter: schedulers and the clients of the API rely on it.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { claimTemplate, templateName, templateSubject } from '../../../node/controller/claim-template.ts';
import { isControlledTemplate, planTemplate } from '../../../node/controller/template-plan.ts';
import { TEMPLATE_ANNOTATIONS } from '../../../proto/api/names.ts';
import { template } from '../../support/controller/objects.ts';

const wanted = claimTemplate({ namespace: 'lab', name: 'usb-1' }, 'usb-1');
const hash = wanted.metadata.annotations?.[TEMPLATE_ANNOTATIONS.specHash] ?? '';
const owner = { kind: 'usbDevices', key: { namespace: 'lab', name: 'usb-1' }, uid: 'uid-lab-usb-1' } as const;

describe('claimTemplate', () => {
  it('asks for exactly this device, and says whose its device node is', () => {
    expect(wanted).toEqual({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: {
        namespace: 'lab',
        name: 'usb-1-template',
        annotations: { [TEMPLATE_ANNOTATIONS.specHash]: hash },
      },
      spec: {
        metadata: {
          annotations: {
            'usb.virtualization.deckhouse.io/device-user': '64535',
            'usb.virtualization.deckhouse.io/device-group': '64535',
          },
        },
        spec: {
          devices: {
            requests: [
              {
                name: 'req-usb-1',
                exactly: {
                  deviceClassName: 'usb-devices.virtualization.deckhouse.io',
                  selectors: [
                    { cel: { expression: 'device.attributes["virtualization-usb"].name == "usb-1"' } },
                  ],
                  allocationMode: 'ExactCount',
                  count: 1,
                },
              },
            ],
          },
        },
      },
    });
  });

  it('bears the md5 of its spec', () => {
    expect(hash).toBe(createHash('md5').update(JSON.stringify(wanted.spec)).digest('hex'));
    const other = claimTemplate({ namespace: 'lab', name: 'usb-1' }, 'usb-2');
    expect(other.metadata.annotations?.[TEMPLATE_ANNOTATIONS.specHash]).not.toBe(hash);
  });

  it('is found again by its name', () => {
    expect(templateSubject(templateName('usb-1'))).toBe('usb-1');
    expect(templateSubject('usb-1')).toBeUndefined();
  });
});

describe('planTemplate', () => {
  const plan = (found?: ReturnType<typeof template>) => planTemplate('g', wanted, owner, found);

  it('makes it, owned by the USBDevice', () => {
    expect(plan()).toEqual([
      {
        group: 'g',
        kind: 'resourceClaimTemplates',
        key: { namespace: 'lab', name: 'usb-1-template' },
        do: 'create',
        object: wanted,
        owner,
      },
    ]);
  });

  it('leaves one alone that is right', () => {
    expect(plan(template('lab', 'usb-1', hash))).toEqual([]);
  });

  it('replaces one with another spec or another owner', () => {
    const stranger = template('lab', 'usb-1', hash);
    const wrong = { ...stranger, metadata: { ...stranger.metadata, ownerReferences: [] } };
    for (const found of [template('lab', 'usb-1', 'old'), wrong]) {
      expect(plan(found)).toMatchObject([{ do: 'delete', uid: found.metadata.uid }, { do: 'create' }]);
    }
  });

  it('replaces one whose owner is not made yet', () => {
    const { uid: _, ...unmade } = owner;
    expect(planTemplate('g', wanted, unmade, template('lab', 'usb-1', hash))).toHaveLength(2);
  });
});

describe('isControlledTemplate', () => {
  it('leaves the templates of people alone', () => {
    const ours = template('lab', 'usb-1');
    expect(isControlledTemplate(ours)).toBe(true);
    expect(isControlledTemplate({ metadata: { ...ours.metadata, annotations: {} } })).toBe(false);
    expect(isControlledTemplate({ metadata: { ...ours.metadata, ownerReferences: [] } })).toBe(false);
  });
});
