// Lab tests: strictly one after the other in one process, which holds the cluster that they share.
import { defineConfig } from 'vitest/config';

const groups = (process.env.LAB_GROUPS ?? '*').split(',');

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: groups.map((group) => `test/lab/${group}/**/*.lab.ts`),
    pool: 'forks',
    isolate: false,
    maxWorkers: 1,
    fileParallelism: false,
    // Real kernels and a real cluster on a machine that others use: once more for what fails, and the report says so.
    retry: 1,
    testTimeout: 180_000,
    hookTimeout: 300_000,
    teardownTimeout: 5_000,
    slowTestThreshold: 60_000,
  },
});
