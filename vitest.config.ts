// What `npm test` runs: everything that needs neither root nor a lab.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{unit,property,golden,contract,pty}/**/*.test.ts'],
    testTimeout: 15_000,
    hookTimeout: 15_000,
    // A module graph for each of a hundred files would be most of the time; no test changes a module.
    isolate: false,
  },
});
