// A kind and an admission policy that only the contract uses, as the manifests a real cluster takes.
import type { KubeObject, ResourceType } from '../../../proto/kube/client.ts';
import type { CustomResourceDefinition } from '../../../proto/kube/memory/custom-kind.ts';

export interface Gadget extends KubeObject {
  spec: { size: number; mode?: string };
  status?: { seen: number };
}

export const gadgets: ResourceType = {
  group: 'contract.kubectl-virt.dev',
  version: 'v1',
  plural: 'gadgets',
};

export const GADGET_CRD: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${gadgets.plural}.${gadgets.group}` },
  spec: {
    group: gadgets.group,
    scope: 'Namespaced',
    names: { kind: 'Gadget', listKind: 'GadgetList', plural: gadgets.plural, singular: 'gadget' },
    versions: [
      {
        name: gadgets.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'integer', minimum: 1 },
                  mode: { type: 'string', enum: ['usbfs', 'driver'] },
                },
              },
              status: { type: 'object', properties: { seen: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
};

export const POLICY_NAME = 'gadget-sizes.kubectl-virt.dev';

/** Sizes that the policy refuses, and how. */
export const UNLUCKY = { size: 13, message: 'thirteen is unlucky' };
export const RESERVED = { size: 14, message: 'fourteen is reserved', reason: 'Forbidden' };

export const GADGET_POLICY = [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: POLICY_NAME },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [gadgets.group],
            apiVersions: [gadgets.version],
            operations: ['CREATE', 'UPDATE'],
            resources: [gadgets.plural],
          },
        ],
      },
      validations: [UNLUCKY, RESERVED].map(({ size, ...denial }) => ({
        expression: `object.spec.size != ${size}`,
        ...denial,
      })),
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: POLICY_NAME },
    spec: { policyName: POLICY_NAME, validationActions: ['Deny'] },
  },
];
