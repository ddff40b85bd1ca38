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
    // The files of a worker share its modules, whose loading took half of the time: a test leaves nothing global behind.
    isolate: false,
    // Guards against a hang: a busy machine takes its time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A poll waits for an event: one second is too short for a busy machine.
    expect: { poll: { timeout: 20_000 } },
  },
});
