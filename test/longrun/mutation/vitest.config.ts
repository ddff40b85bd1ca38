import { defineConfig } from 'vitest/config';
import base from '../../../vitest.config.js';

/** The room whose sources are changed; its own tests alone must notice (scripts/mutation.mjs). */
const moduleName = process.env['SLUICE_MUTATED_ROOM'] ?? 'risk';

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [`src/${moduleName}/**/*.test.ts`, 'test/longrun/mutation/loads.test.ts'],
    // Thousands of random lives of an order: too long for each mutant.
    exclude: ['src/execution/order/exactly-once.test.ts'],
    setupFiles: ['./test/longrun/mutation/setup.ts'],
    // Stryker runs one file after the other in one thread; to load each module once is much faster.
    isolate: false,
    maxWorkers: 1,
  },
});
