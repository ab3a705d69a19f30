// The life of a component: settings, probes and metrics, and work until it is told to stop.
import type { Registry } from 'prom-client';
import { createLog, type Log } from './log.ts';
import { optionHelp, printedConfig } from './option-help.ts';
import { type Option, type ParsedOptions, parseOptions } from './options.ts';
import { type Probes, startProbeServer } from './probe-server.ts';
import { withStopSignal } from './stop-signal.ts';
import type { WORKLOAD_OPTIONS } from './workload-options.ts';

/** What is made of the settings. It serves nothing and changes nothing before it is started. */
export interface Workload {
  probes(): Probes;
  readonly metrics: { readonly registry: Registry };
  start(): Promise<void> | void;
  stop(): Promise<void>;
}

type Spec = Record<string, Option<unknown>>;
type Values<S extends Spec> = ParsedOptions<S>['values'];

export interface ComponentParts<S extends Spec & typeof WORKLOAD_OPTIONS> {
  /** The sub-command, which is also the name in the log. */
  readonly name: string;
  readonly about: string;
  readonly options: S;
  readonly create: (values: Values<S>, log: Log) => Promise<Workload>;
}

/** Resolves to 0 after a clean stop. Rejects with USAGE, BAD_CONFIG, and what creating and starting reject with. */
export async function runComponent<S extends Spec & typeof WORKLOAD_OPTIONS>(
  { name, about, options, create }: ComponentParts<S>,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const { values, help, printConfig } = parseOptions(options, argv, env);
  if (help || printConfig) {
    const text = help ? optionHelp(`virt-node ${name}`, about, options) : printedConfig(options, values);
    process.stdout.write(text);
    return 0;
  }
  // Of a generic S the compiler does not see that its values include these.
  const { logLevel, probePort: port } = values as Values<typeof WORKLOAD_OPTIONS>;
  const log = createLog(name, logLevel);
  // Before anything that takes time: process 1 of a container ignores signals that it does not handle (pid_namespaces(7)).
  await withStopSignal(async (stopped) => {
    const workload = await create(values, log);
    const probes = await startProbeServer({ port }, workload.probes(), workload.metrics.registry);
    log.info({ port: probes.port }, 'probes and metrics are served');
    await workload.start();
    log.info({ signal: await stopped }, 'stopping');
    await workload.stop();
    await probes.close();
  });
  return 0;
}
