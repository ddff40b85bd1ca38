import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

/** `npm test` stays below five minutes: what takes half a minute alone is run by `npm run test:slow`. */
const SLOW = 'test/slow/**';

export default defineConfig({
  resolve: {
    alias: {
      'sluice/strategy': fileURLToPath(new URL('./src/strategy/index.ts', import.meta.url)),
      'sluice/testing': fileURLToPath(new URL('./src/backtest/testing.ts', import.meta.url)),
    },
  },
  test: {
    include: [
      'src/**/*.test.ts',
      'strategies/**/*.test.ts',
      'templates/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    exclude: [...configDefaults.exclude, ...(process.env['SLUICE_SLOW'] === '1' ? [] : [SLOW])],
    // Half of the slow tests wait for real sockets: four files at a time, on two cores too.
    maxWorkers: 4,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
