// A CustomResourceDefinition as a kind that the API in memory serves.
import type { KubeObject } from '../client.ts';
import type { ObjectSchema } from './object-schema.ts';
import type { ServedKind } from './served-kind.ts';

/** The parts of apiextensions.k8s.io/v1 that count here. */
export interface CustomResourceDefinition extends KubeObject {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: 'Namespaced' | 'Cluster';
    readonly names: {
      readonly kind: string;
      readonly listKind?: string;
      readonly plural: string;
      readonly singular?: string;
      readonly shortNames?: readonly string[];
    };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly storage: boolean;
      readonly subresources?: { readonly status?: object };
      readonly schema: { readonly openAPIV3Schema: ObjectSchema };
    }[];
  };
}

/** The version that is stored; a definition has exactly one. */
export function servedKind({ spec, metadata }: CustomResourceDefinition): ServedKind {
  const version = spec.versions.find(({ storage }) => storage);
  if (!version) throw new Error(`${metadata.name} has no storage version`);
  const { kind, plural, shortNames } = spec.names;
  return {
    group: spec.group,
    version: version.name,
    kind,
    plural,
    namespaced: spec.scope === 'Namespaced',
    statusSubresource: version.subresources?.status !== undefined,
    schema: version.schema.openAPIV3Schema,
    ...(shortNames && { shortNames }),
  };
}
