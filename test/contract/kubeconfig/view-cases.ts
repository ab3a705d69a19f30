// Kubeconfigs as people have them, for the comparison with `kubectl config view`.

export interface ViewCase {
  readonly name: string;
  /** Files below test/fixtures/kubeconfig, as KUBECONFIG lists them. */
  readonly files: readonly string[];
  readonly context?: string;
}

export const VIEW_CASES: readonly ViewCase[] = [
  { name: 'kubeadm writes data fields', files: ['kubeadm.yaml'] },
  { name: 'a cloud writes exec plugins of v1beta1', files: ['cloud.yaml'] },
  { name: 'a cloud writes exec plugins of v1', files: ['cloud.yaml'], context: 'gke' },
  { name: 'minikube writes relative paths', files: ['minikube.yaml'] },
  { name: 'relative paths belong to the folder of their file', files: ['nested/minikube.yaml'] },
  { name: 'openshift writes slashes and colons into names', files: ['openshift.json'] },
  { name: 'a person writes flow style and anchors', files: ['by-hand.yaml'] },
  { name: 'the first of two files wins', files: ['first.yaml', 'second.yaml'], context: 'shared' },
  { name: 'the other order wins the other way', files: ['second.yaml', 'first.yaml'], context: 'shared' },
  { name: 'the first current-context there is counts', files: ['first.yaml', 'second.yaml'] },
  { name: 'missing files are skipped', files: ['none.yaml', 'second.yaml', 'kubeadm.yaml'] },
];
