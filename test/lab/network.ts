// The network of a lab: a namespace with a bridge, one tap a node, and one link to the machine for the tests.
import { GATEWAY, nodeAddress, podRange, SERVICE_ADDRESS, SERVICE_RANGE, uplink } from './addresses.ts';
import { attempt, type CommandOptions, run } from './command.ts';
import { LabError } from './lab-error.ts';
import type { RunRecord } from './run-record.ts';

const MAX_LABS = 250;

const PLUGS = `
  add table bridge plugs
  add set bridge plugs pulled { type ifname; }
  add chain bridge plugs in { type filter hook prerouting priority 0; }
  add chain bridge plugs out { type filter hook postrouting priority 0; }
  add rule bridge plugs in iifname @pulled drop
  add rule bridge plugs out oifname @pulled drop
`;

export class LabNetwork {
  readonly namespace: string;
  /** Where the machine, and so a test, reaches what listens in the namespace. */
  readonly address: string;

  private constructor(namespace: string, address: string) {
    this.namespace = namespace;
    this.address = address;
  }

  static async create(record: RunRecord): Promise<LabNetwork> {
    const namespace = record.id;
    record.note({ kind: 'namespace', name: namespace });
    await run('ip', ['netns', 'add', namespace]);
    const address = await connect(namespace, record);
    const network = new LabNetwork(namespace, address);
    await network.#ip('link set lo up');
    await network.#ip(`addr add ${SERVICE_ADDRESS}/32 dev lo`);
    await network.#ip('link add bridge type bridge');
    await network.#ip(`addr add ${GATEWAY}/24 dev bridge`);
    await network.#ip('link set bridge up');
    // Keeps connections to services that nobody serves from leaving through the machine.
    await network.#ip(`route add unreachable ${SERVICE_RANGE}`);
    await network.#nft(PLUGS);
    await network.run('sh', ['-c', 'echo 1 >/proc/sys/net/ipv4/ip_forward']);
    return network;
  }

  /** Adds the port of a node to the bridge, and the way to its pods; returns the tap's name. */
  async addNode(index: number): Promise<string> {
    const tap = `tap${index}`;
    await this.#ip(`tuntap add ${tap} mode tap`);
    await this.#ip(`link set ${tap} master bridge up`);
    await this.#ip(`route add ${podRange(index)} via ${nodeAddress(index)}`);
    return tap;
  }

  /**
   * Pulls the network plug of a node: nothing is refused, nothing arrives. The bridge drops the frames; with the tap
   * down the node's driver would get write errors, after which it stays dead.
   */
  async unplug(index: number): Promise<void> {
    await this.#nft(`add element bridge plugs pulled { tap${index} }`);
  }

  /** Puts the plug back; harmless when it is in. */
  async replug(index: number): Promise<void> {
    await this.#nft(
      `add element bridge plugs pulled { tap${index} }; delete element bridge plugs pulled { tap${index} }`,
    );
  }

  /** The program and arguments that run something inside the namespace. */
  inside(program: string, args: readonly string[]): [string, string[]] {
    return ['ip', ['netns', 'exec', this.namespace, program, ...args]];
  }

  /** Runs a program inside the namespace to its end and returns its output. */
  async run(program: string, args: readonly string[], options?: CommandOptions): Promise<string> {
    return run(...this.inside(program, args), options);
  }

  async #nft(commands: string): Promise<void> {
    await this.run('nft', [commands]);
  }

  async #ip(command: string): Promise<void> {
    await run('ip', ['-n', this.namespace, ...command.split(' ')]);
  }
}

/** Takes the first free link number; making a link that exists fails, so two labs never share one. */
async function connect(namespace: string, record: RunRecord): Promise<string> {
  let refusal = '';
  for (let lab = 0; lab < MAX_LABS; lab++) {
    const { name, outside, inside } = uplink(lab);
    const peer = ['peer', 'name', 'uplink', 'netns', namespace];
    const { code, err } = await attempt('ip', ['link', 'add', name, 'type', 'veth', ...peer]);
    if (code !== 0) {
      refusal = err.trim();
      if (/exists/.test(refusal)) continue;
      break;
    }
    record.note({ kind: 'link', name });
    await run('ip', ['addr', 'add', `${outside}/30`, 'dev', name]);
    await run('ip', ['link', 'set', name, 'up']);
    await run('ip', ['-n', namespace, 'addr', 'add', `${inside}/30`, 'dev', 'uplink']);
    await run('ip', ['-n', namespace, 'link', 'set', 'uplink', 'up']);
    return inside;
  }
  throw new LabError(`cannot link the lab to the machine: ${refusal}`);
}
