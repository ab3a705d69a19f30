// Runs one component: compiles it once, keeps an instance while it is sound, replaces it after a trap.
import { readdir, readFile } from 'node:fs/promises';
import { TypedError } from '../../proto/api/typed-error.ts';

/** What the generated module of a component without imports exports. */
interface Generated<Root> {
  instantiate(getCoreModule: (file: string) => WebAssembly.Module, imports: object): Root;
}

export interface Component<Root> {
  /**
   * Calls into the component. An answer `err` is thrown as it is: see `refusal`. Anything else that is thrown means
   * that the instance can't be trusted any more: it is dropped, the next call gets a new one, and this call rejects
   * with POLICY_TRAPPED. The instance is the only thing that calls have in common, and policies keep no state in it.
   */
  call<Answer>(use: (root: Root) => Answer): Answer;
}

/** Opens the component `name` that the build put into `folder`. Throws POLICY_TRAPPED when it is not a whole one. */
export async function openComponent<Root>(name: string, folder: URL): Promise<Component<Root>> {
  try {
    const [generated, modules] = await Promise.all([
      import(new URL(`${name}.js`, folder).href) as Promise<Generated<Root>>,
      compileModules(name, folder),
    ]);
    return recovering(name, () => generated.instantiate((file) => moduleNamed(file, modules), {}));
  } catch (cause) {
    throw new TypedError(
      'POLICY_TRAPPED',
      `cannot load the policy ${name} from ${folder.href}`,
      'run `node wasm/build.ts`, or install the program again',
      { cause },
    );
  }
}

/** What QuickJS throws at its memory limit. It can be caught, so it arrives as `err`; the instance is spent all the same. */
const OUT_OF_MEMORY = 'out of memory';

/** The text of an answer `err`; undefined when the error is something else. */
export function refusal(error: unknown): string | undefined {
  // The class lives in the generated code, a new one an instance: `payload` is what its documentation promises.
  if (!(error instanceof Error && 'payload' in error && typeof error.payload === 'string')) return undefined;
  return error.payload === OUT_OF_MEMORY ? undefined : error.payload;
}

function recovering<Root>(name: string, instantiate: () => Root): Component<Root> {
  let instance: Root | undefined = instantiate();
  return {
    call(use) {
      instance ??= instantiate();
      try {
        return use(instance);
      } catch (error) {
        if (refusal(error) !== undefined) throw error;
        instance = undefined;
        throw new TypedError(
          'POLICY_TRAPPED',
          `the policy ${name} failed: ${error instanceof Error ? error.message : String(error)}`,
          'the next call starts afresh; report this with the input that caused it',
          { cause: error },
        );
      }
    },
  };
}

async function compileModules(name: string, folder: URL): Promise<ReadonlyMap<string, WebAssembly.Module>> {
  const files = (await readdir(folder)).filter((file) => file.startsWith(`${name}.core`));
  const modules = files.map(async (file) => {
    const bytes = await readFile(new URL(file, folder));
    return [file, await WebAssembly.compile(bytes)] as const;
  });
  return new Map(await Promise.all(modules));
}

function moduleNamed(file: string, modules: ReadonlyMap<string, WebAssembly.Module>): WebAssembly.Module {
  const module = modules.get(file);
  if (module === undefined) throw new Error(`${file} is missing`);
  return module;
}
