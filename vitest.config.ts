import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: {
      'sluice/strategy': fileURLToPath(new URL('./src/strategy/index.ts', import.meta.url)),
      'sluice/testing': fileURLToPath(new URL('./src/testing/index.ts', import.meta.url)),
    },
  },
  test: {
    include: [
      'src/**/*.test.ts',
      'strategies/**/*.test.ts',
      'templates/**/*.test.ts',
      'pages/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    // Half of the slow tests wait for real sockets: four files at a time, on two cores too.
    maxWorkers: 4,
    // Guards against a hang: a busy machine takes its time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A poll waits for an event: one second is too short for a busy machine.
    expect: { poll: { timeout: 20_000 } },
  },
});
