// virt-node: one sub-command a workload of the cluster. The only place of the program that ends the process.
import { ERROR_CODES } from '../proto/api/error-codes.ts';
import { TypedError } from '../proto/api/typed-error.ts';

/** A component runs until it is told to stop and resolves to the exit code. */
type Component = (argv: readonly string[], env: NodeJS.ProcessEnv) => Promise<number>;

const COMPONENTS: Record<string, { about: string; load: () => Promise<Component> }> = {
  'usb-agent': {
    about:
      'discovers USB devices of this node, publishes them and prepares them for pods (DRA driver, USB/IP)',
    load: async () => (await import('./run/usb-agent-component.ts')).usbAgentComponent,
  },
  'usb-controller': {
    about: 'lets administrators assign USB devices to namespaces (NodeUSBDevice, USBDevice, claim templates)',
    load: async () => (await import('./run/usb-controller-component.ts')).usbControllerComponent,
  },
};

function usage(): string {
  const rows = Object.entries(COMPONENTS).map(([name, { about }]) => `  ${name}  ${about}`);
  return `Usage: virt-node COMPONENT [flags]\n\nComponents:\n${rows.join('\n')}\n\nvirt-node COMPONENT --help lists its flags.\n`;
}

async function main(argv: readonly string[]): Promise<number> {
  const [name = '', ...rest] = argv;
  if (name === '--help' || name === 'help') {
    process.stdout.write(usage());
    return 0;
  }
  const component = COMPONENTS[name];
  if (!component) {
    const what = name === '' ? 'no component is given' : `there is no component ${JSON.stringify(name)}`;
    throw new TypedError('USAGE', what, `give one of: ${Object.keys(COMPONENTS).join(', ')}`);
  }
  return (await component.load())(rest, process.env);
}

function fail(error: unknown): number {
  const typed = error instanceof TypedError ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`error: ${message} (${typed?.code ?? 'INTERNAL'})\n`);
  if (typed?.hint) process.stderr.write(`hint: ${typed.hint}\n`);
  if (!typed && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  return ERROR_CODES[typed?.code ?? 'INTERNAL'].exit;
}

process.exit(await main(process.argv.slice(2)).catch(fail));
