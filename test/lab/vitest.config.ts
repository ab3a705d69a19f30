// Lab tests: strictly one after the other in one process, which holds the cluster that they share.
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const groups = (process.env.LAB_GROUPS ?? '*').split(',');

/** Always the same order, the ground first: the default one depends on how long files took before. */
class ByPath extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((x, y) => (x.moduleId < y.moduleId ? -1 : 1));
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
    sequence: { sequencer: ByPath },
    // Real kernels and a real cluster on a machine that others use: once more for what fails, and the report says so.
    retry: 1,
    testTimeout: 180_000,
    hookTimeout: 300_000,
    teardownTimeout: 5_000,
    slowTestThreshold: 60_000,
  },
});
