// The services of a node: containerd and the kubelet, with settings for a small kernel without systemd.
import { writeFileSync } from 'node:fs';
import { podRange } from './addresses.ts';
import { BUSYBOX_IMAGE, PAUSE_IMAGE } from './artefacts/images.ts';
import type { LabNode } from './node.ts';

export interface ServiceSettings {
  /** Archive of the images. */
  readonly images: string;
  /** PEM file of the authority that signs the API server's certificate towards kubelets. */
  readonly authority: string;
  readonly kubeconfig: string;
}

/** Starts containerd with the lab's images, then the kubelet. Repeat it after each boot. */
export async function startServices(node: LabNode, settings: ServiceSettings): Promise<void> {
  write(node, 'containerd.toml', containerdConfig());
  write(node, 'cni.conflist', JSON.stringify(cniConfig(podRange(node.index))));
  write(node, 'kubelet.yaml', JSON.stringify(kubeletConfig(settings.authority)));
  write(node, 'cpuinfo', CPU_INFO);
  await node.ok(`
    cp ${node.folder}/cni.conflist /etc/cni/net.d/10-lab.conflist
    mount --bind ${node.folder}/cpuinfo /proc/cpuinfo
    setsid containerd --config ${node.folder}/containerd.toml >&4 2>&4 3>&- 5>&- &
    echo $! >/run/containerd.pid
    until ctr version >/dev/null 2>&1; do sleep 0.05; done
    ctr -n k8s.io images ls -q | grep -qx ${BUSYBOX_IMAGE} || ctr -n k8s.io images import ${settings.images}
  `);
  await startKubelet(node, settings.kubeconfig);
}

/** Starts the kubelet alone, for example after `stopKubelet`. */
export async function startKubelet(node: LabNode, kubeconfig: string): Promise<void> {
  const args = [
    `--config ${node.folder}/kubelet.yaml --kubeconfig ${kubeconfig}`,
    `--hostname-override ${node.name} --node-ip ${node.address} --cert-dir /run/kubelet-pki --v=2`,
  ];
  await node.ok(`setsid kubelet ${args.join(' ')} >&5 2>&5 3>&- 4>&- & echo $! >/run/kubelet.pid`);
}

/** Ends the kubelet and waits for it; containers go on. */
export async function stopKubelet(node: LabNode): Promise<void> {
  await node.ok(`
    pid=$(cat /run/kubelet.pid); kill $pid
    for i in $(seq 200); do [ -d /proc/$pid ] || exit 0; sleep 0.05; done; kill -9 $pid
  `);
}

function write(node: LabNode, name: string, text: string): void {
  writeFileSync(`${node.folder}/${name}`, text);
}

// The kernel's own has no "cpu MHz", without which cAdvisor gives up.
const CPU_INFO = `${[
  'processor\t: 0',
  'vendor_id\t: GenuineIntel',
  'cpu family\t: 6',
  'model\t\t: 1',
  'model name\t: lab',
  'cpu MHz\t\t: 2000.000',
  'physical id\t: 0',
  'core id\t\t: 0',
  'cpu cores\t: 1',
].join('\n')}\n\n`;

function cniConfig(subnet: string): object {
  const ipam = { type: 'host-local', ranges: [[{ subnet }]], routes: [{ dst: '0.0.0.0/0' }] };
  const bridge = { type: 'bridge', bridge: 'cni0', isGateway: true, ipMasq: false, ipam };
  return { cniVersion: '1.0.0', name: 'lab', plugins: [bridge] };
}

function kubeletConfig(authority: string): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      x509: { clientCAFile: authority },
      webhook: { enabled: false },
      anonymous: { enabled: false },
    },
    authorization: { mode: 'AlwaysAllow' },
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    cgroupDriver: 'cgroupfs',
    failSwapOn: false,
    resolvConf: '',
    makeIPTablesUtilChains: false,
    // Root is an overlay over the machine's files, whose size means nothing.
    localStorageCapacityIsolation: false,
    enforceNodeAllocatable: [],
    evictionHard: { 'memory.available': '1Mi' },
    nodeStatusUpdateFrequency: '5s',
    syncFrequency: '10s',
    // Tests kill what runs in containers many times; the default waits up to five minutes before the next start.
    crashLoopBackOff: { maxContainerRestartPeriod: '1s' },
  };
}

function containerdConfig(): string {
  const snapshotters = ['btrfs', 'zfs', 'devmapper', 'blockfile'].map(
    (name) => `"io.containerd.snapshotter.v1.${name}"`,
  );
  return `version = 3
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = [${[...snapshotters, '"io.containerd.tracing.processor.v1.otlp"'].join(', ')}]
[plugins.'io.containerd.cri.v1.images']
  snapshotter = "overlayfs"
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = "${PAUSE_IMAGE}"
[plugins.'io.containerd.cri.v1.runtime']
  disable_apparmor = true
  restrict_oom_score_adj = true
  enable_cdi = true
  cdi_spec_dirs = ["/etc/cdi", "/var/run/cdi"]
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ["/usr/lib/cni"]
    conf_dir = "/etc/cni/net.d"
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
      BinaryName = "/usr/sbin/runc"
      SystemdCgroup = false
`;
}
