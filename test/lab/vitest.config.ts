// Lab tests: strictly one after the other in one process, which holds the cluster that they share.
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const groups = (process.env.LAB_GROUPS ?? '*').split(',');

/** What others build on comes first, and what leaves programs in the cluster last. */
const ORDER = ['ground', 'usb', 'controller'];

/** Always the same order: the default one depends on how long files took before. */
class ByGroup extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const [, group = '', file = ''] = /\/test\/lab\/([^/]+)\/(.+)$/.exec(moduleId) ?? [];
      const rank = ORDER.includes(group) ? ORDER.indexOf(group) : ORDER.length;
      return `${rank} ${group} ${file}`;
    };
    return files.toSorted((x, y) => (place(x) < place(y) ? -1 : 1));
  }
}

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: groups.map((group) => `test/lab/${group}/**/*.lab.ts`),
    pool: 'forks',
    isolate: false,
    maxWorkers: 1,
    fileParallelism: false,
    sequence: { sequencer: ByGroup },
    // Real kernels and a real cluster on a machine that others use: once more for what fails, and the report says so.
    retry: 1,
    testTimeout: 180_000,
    hookTimeout: 300_000,
    teardownTimeout: 5_000,
    slowTestThreshold: 60_000,
  },
});
