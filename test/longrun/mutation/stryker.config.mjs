// StrykerJS for one room at a time; scripts/mutation.mjs sets the variables, in a copy of the checkout.
const {
  SLUICE_MUTATED_ROOM: room,
  SLUICE_MUTATED_FILES: files = `src/${room}/**/*.ts`,
  SLUICE_MUTATION_REPORT: report,
  SLUICE_MUTATION_JOBS: jobs = '1',
} = process.env;

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/longrun/mutation/vitest.config.ts', related: false },
  // A mutant meets the tests that reach it, and no other.
  coverageAnalysis: 'perTest',
  mutate: [...files.split(','), '!src/**/*.test.ts'],
  concurrency: Number(jobs),
  timeoutMS: 4_000,
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: report },
  ignorePatterns: ['/docs', '/backtests', '/dist', '/test/e2e', '/bench', '/test/contract'],
  tempDirName: '.stryker',
  warnings: { slow: false },
};
