// The admission policies: complete, bound, and with the names that the programs use. Their effect needs an API server.
import { describe, expect, it } from 'vitest';
import {
  DEVICE_CLASS,
  DRIVER,
  FREE_CLAIMS_LABEL,
  NODE_ANNOTATIONS,
  NODE_LABELS,
  SERVICE_ACCOUNTS,
  USB_NODE_STATUS,
} from '../../../proto/api/names.ts';
import { deployed, ofKind } from './manifests.ts';

interface Policy {
  readonly spec: {
    failurePolicy: string;
    matchConstraints: {
      matchPolicy: string;
      resourceRules: {
        apiGroups: string[];
        apiVersions: string[];
        resources: string[];
        operations: string[];
      }[];
    };
    matchConditions?: { name: string; expression: string }[];
    variables?: { name: string; expression: string }[];
    validations: { expression: string; reason: string; message?: string; messageExpression: string }[];
  };
}

interface Binding {
  readonly spec: {
    policyName: string;
    validationActions: string[];
    matchResources?: { namespaceSelector: { matchExpressions: object[] } };
  };
}

const manifests = deployed('usb-admission.yaml');
const policies = ofKind<Policy>(manifests, 'ValidatingAdmissionPolicy');
const bindings = ofKind<Binding>(manifests, 'ValidatingAdmissionPolicyBinding');

const AGENT = `system:serviceaccount:${SERVICE_ACCOUNTS.namespace}:${SERVICE_ACCOUNTS.agent}`;
const CONTROLLER = `system:serviceaccount:${SERVICE_ACCOUNTS.namespace}:${SERVICE_ACCOUNTS.controller}`;

/** Accounts of kube-controller-manager (pkg/controlplane/controller, --use-service-account-credentials). */
const CLUSTER_ACCOUNTS = [
  'system:kube-controller-manager',
  'system:serviceaccount:kube-system:resource-claim-controller',
  'system:serviceaccount:kube-system:generic-garbage-collector',
];

/** Key in the extra of a token that is bound to a pod (KEP-4193). */
const TOKEN_NODE = 'authentication.kubernetes.io/node-name';

function policy(name: string): Policy['spec'] {
  const found = policies.find(({ metadata }) => metadata.name === name);
  if (!found) throw new Error(`no policy ${name}`);
  return found.spec;
}

/** Every CEL expression that decides. */
function decisions({ matchConditions = [], variables = [], validations }: Policy['spec']): string[] {
  return [...matchConditions, ...variables, ...validations].map(({ expression }) => expression);
}

function texts(expression: string): string[] {
  return [...expression.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text);
}

function variable(name: string, of: string): string {
  return policy(of).variables?.find((one) => one.name === name)?.expression ?? '';
}

describe.each(policies.map(({ metadata, spec }) => [metadata.name, spec] as const))(
  'policy %s',
  (name, spec) => {
    it('is bound once, and refuses', () => {
      const bound = bindings.filter((one) => one.spec.policyName === name);
      expect(bound).toHaveLength(1);
      expect(bound[0]?.metadata.name).toBe(name);
      expect(bound[0]?.spec.validationActions).toEqual(['Deny']);
    });

    it('refuses when it cannot be evaluated', () => {
      expect(spec.failurePolicy).toBe('Fail');
    });

    it('cannot be gone around by another version of the API', () => {
      expect(spec.matchConstraints.matchPolicy).toBe('Equivalent');
      for (const { apiVersions } of spec.matchConstraints.resourceRules) {
        expect(apiVersions).toHaveLength(1);
        expect(apiVersions).not.toContain('*');
      }
    });

    it('says who may do it instead', () => {
      for (const { messageExpression, reason } of spec.validations) {
        expect(reason).toBe('Forbidden');
        expect(messageExpression).toMatch(/controller|usb-agent|administrator/);
      }
    });

    it('has no line breaks in its expressions, which the API server refuses in a message', () => {
      const all = [...decisions(spec), ...spec.validations.map((one) => one.messageExpression)];
      expect(all.filter((one) => one.includes('\n'))).toEqual([]);
    });

    it('has balanced brackets and quotes', () => {
      for (const expression of decisions(spec)) {
        const bare = expression.replace(/"[^"]*"/g, '');
        expect(bare).not.toContain('"');
        for (const [open, close] of ['()', '[]', '{}'].map((pair) => [...pair] as [string, string])) {
          expect(bare.split(open).length).toBe(bare.split(close).length);
        }
      }
    });

    it('uses the variables that it has, and has none that it does not use', () => {
      const all = [...decisions(spec), ...spec.validations.map((one) => one.messageExpression)].join(' ');
      const used = new Set([...all.matchAll(/variables\.(\w+)/g)].map(([, one]) => one));
      expect([...used].sort()).toEqual((spec.variables ?? []).map((one) => one.name).sort());
    });

    it('reads variables only after they are set', () => {
      const set = new Set<string>();
      for (const { name: own, expression } of spec.variables ?? []) {
        for (const [, one = ''] of expression.matchAll(/variables\.(\w+)/g)) expect(set).toContain(one);
        set.add(own);
      }
    });

    it('reads fields that may be absent as optional ones', () => {
      for (const expression of decisions(spec)) {
        expect(expression).not.toMatch(
          /\.(extra|labels|annotations|finalizers|ownerReferences|devices)\b(?<!variables\.\w+)/,
        );
      }
    });

    it('decides by names that the programs know', () => {
      const known = [
        DRIVER,
        DEVICE_CLASS,
        AGENT,
        CONTROLLER,
        TOKEN_NODE,
        ...CLUSTER_ACCOUNTS,
        ...Object.values(NODE_LABELS),
        ...Object.values(NODE_ANNOTATIONS),
        'UPDATE',
        'DELETE',
        '',
      ];
      expect(
        decisions(spec)
          .flatMap(texts)
          .filter((text) => !known.includes(text)),
      ).toEqual([]);
    });
  },
);

it('no binding is without a policy', () => {
  expect(bindings.map((one) => one.spec.policyName).sort()).toEqual(
    policies.map(({ metadata }) => metadata.name).sort(),
  );
});

describe('what is looked at', () => {
  it.each([
    ['kubectl-virt-usb-claim-templates', 'resource.k8s.io/resourceclaimtemplates', 'CREATE UPDATE'],
    ['kubectl-virt-usb-claims', 'resource.k8s.io/resourceclaims', 'CREATE'],
    ['kubectl-virt-usb-slices', 'resource.k8s.io/resourceslices', 'CREATE UPDATE DELETE'],
    [
      'kubectl-virt-usb-node-statuses',
      `${USB_NODE_STATUS.group}/${USB_NODE_STATUS.plural} ${USB_NODE_STATUS.plural}/status`,
      'CREATE UPDATE',
    ],
    ['kubectl-virt-usb-node-marks', '/nodes', 'UPDATE'],
  ])('by %s: %s, %s', (name, resources, operations) => {
    const rules = policy(name).matchConstraints.resourceRules.map(
      (rule) => `${rule.apiGroups.join(' ')}/${rule.resources.join(' ')}: ${rule.operations.join(' ')}`,
    );
    expect(rules).toEqual([`${resources}: ${operations}`]);
  });
});

describe('claims and templates of the device class', () => {
  it.each(['kubectl-virt-usb-claim-templates', 'kubectl-virt-usb-claims'])(
    'are found by %s in both forms of a request',
    (name) => {
      const expression = variable('ofTheClass', name);
      expect(texts(expression).filter((text) => text === DEVICE_CLASS)).toHaveLength(2);
      expect(expression).toContain('r.?exactly.?deviceClassName');
      expect(expression).toContain('r.?firstAvailable');
    },
  );

  it('have requests that may be null', () => {
    for (const name of ['kubectl-virt-usb-claim-templates', 'kubectl-virt-usb-claims']) {
      expect(variable('ofTheClass', name)).toMatch(/^variables\.requests != null && /);
    }
  });

  it('are made by nobody else, whatever their groups', () => {
    const expressions = ['kubectl-virt-usb-claim-templates', 'kubectl-virt-usb-claims'].flatMap((name) =>
      decisions(policy(name)),
    );
    expect(expressions.join(' ')).not.toMatch(/groups|masters/);
  });

  it('are let alone in namespaces with the label: claims only', () => {
    const selectors = bindings.map(({ metadata, spec }) => [metadata.name, spec.matchResources]);
    const selector = {
      namespaceSelector: {
        matchExpressions: [{ key: FREE_CLAIMS_LABEL, operator: 'NotIn', values: ['true'] }],
      },
    };
    expect(selectors.filter(([, resources]) => resources)).toEqual([['kubectl-virt-usb-claims', selector]]);
  });

  it('tell in their message how a namespace gets the label', () => {
    expect(policy('kubectl-virt-usb-claims').validations[0]?.messageExpression).toContain(
      `${FREE_CLAIMS_LABEL}=true`,
    );
  });
});

describe('what a node says of itself', () => {
  it.each([
    ['kubectl-virt-usb-slices', 'n == variables.pool'],
    ['kubectl-virt-usb-node-statuses', 'n == object.metadata.name'],
    ['kubectl-virt-usb-node-marks', 'n == object.metadata.name'],
  ])('is tied to the node of the token by %s', (name, comparison) => {
    const all = decisions(policy(name)).join(' ');
    expect(all).toContain(`request.userInfo.?extra[?"${TOKEN_NODE}"].orValue([]).exists(n, ${comparison})`);
  });

  it.each(['kubectl-virt-usb-slices', 'kubectl-virt-usb-node-statuses'])(
    'comes by %s from the account of the agent',
    (name) => {
      expect(variable('byItsAgent', name)).toMatch(`request.userInfo.username == "${AGENT}" && `);
    },
  );

  it('is read from the old object when there is no new one', () => {
    const { matchConditions = [] } = policy('kubectl-virt-usb-slices');
    for (const expression of [matchConditions[0]?.expression, variable('pool', 'kubectl-virt-usb-slices')]) {
      expect(expression).toMatch(/^\(object == null \? oldObject : object\)\.spec\./);
    }
  });

  it('is deleted by the controller and the garbage collector', () => {
    expect(texts(variable('cleansUp', 'kubectl-virt-usb-slices'))).toEqual([
      'DELETE',
      CONTROLLER,
      'system:serviceaccount:kube-system:generic-garbage-collector',
      'system:kube-controller-manager',
    ]);
  });
});

describe('marks of nodes', () => {
  const NAME = 'kubectl-virt-usb-node-marks';

  it('are all those that the agent writes', () => {
    expect(texts(variable('markLabels', NAME)).sort()).toEqual(Object.values(NODE_LABELS).sort());
    expect(texts(variable('markAnnotations', NAME)).sort()).toEqual(Object.values(NODE_ANNOTATIONS).sort());
  });

  it('bind our accounts and nobody else', () => {
    const [condition] = policy(NAME).matchConditions ?? [];
    expect(texts(condition?.expression ?? '')).toEqual([AGENT, CONTROLLER]);
  });

  it('are compared both ways: added or changed, and removed', () => {
    const rule = policy(NAME).validations[1]?.expression ?? '';
    for (const all of ['labels', 'oldLabels', 'annotations', 'oldAnnotations']) {
      expect(rule).toContain(`variables.${all}.all(k, `);
    }
  });

  it('come with no other change of the node', () => {
    const rule = policy(NAME).validations[2]?.expression ?? '';
    for (const part of ['spec', 'finalizers', 'ownerReferences']) expect(rule).toContain(part);
  });
});
