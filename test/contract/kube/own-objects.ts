// The objects of one test: a label of their own tells them from those of other tests.
import type {
  KubeClient,
  KubeObject,
  ListOptions,
  ObjectKey,
  ResourceType,
} from '../../../proto/kube/client.ts';
import { GADGET_CRD, type Gadget, gadgets } from './gadget-kind.ts';
import type { Subject } from './kube-under-test.ts';

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

export const configMaps: ResourceType = { group: '', version: 'v1', plural: 'configmaps' };

let groups = 0;

export class OwnObjects {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly group = `g${Date.now().toString(36)}-${++groups}`;

  constructor({ client, kube }: Subject) {
    this.client = client;
    this.namespace = kube.namespace;
  }

  /** Selects what belongs to the test. */
  get selection(): ListOptions & { readonly labelSelector: string } {
    return { namespace: this.namespace, labelSelector: `group=${this.group}` };
  }

  configMap(suffix: string, data: Record<string, string> = {}, labels: object = {}): ConfigMap {
    return { metadata: this.#metadata(suffix, labels), data };
  }

  make(suffix: string, data?: Record<string, string>, labels?: object): Promise<ConfigMap> {
    return this.client.create(configMaps, this.configMap(suffix, data, labels));
  }

  gadget(suffix: string, spec: Gadget['spec'] = { size: 1 }): Gadget {
    const { group, version } = gadgets;
    const { kind } = GADGET_CRD.spec.names;
    return { apiVersion: `${group}/${version}`, kind, metadata: this.#metadata(suffix), spec };
  }

  makeGadget(suffix: string, spec?: Gadget['spec']): Promise<Gadget> {
    return this.client.create(gadgets, this.gadget(suffix, spec));
  }

  key({ metadata }: KubeObject): ObjectKey {
    return { namespace: this.namespace, name: metadata.name ?? '' };
  }

  /** The suffixes, sorted. */
  suffixes(objects: readonly KubeObject[]): string[] {
    return objects.map((object) => this.suffix(object)).sort();
  }

  suffix({ metadata }: KubeObject): string {
    return metadata.name?.slice(this.group.length + 1) ?? '';
  }

  #metadata(suffix: string, labels: object = {}): KubeObject['metadata'] & { name: string } {
    const { namespace, group } = this;
    return { namespace, name: `${group}-${suffix}`, labels: { group, ...labels } };
  }
}
