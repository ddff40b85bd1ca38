import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: {
      'sluice/strategy': fileURLToPath(new URL('./src/strategy/index.ts', import.meta.url)),
    },
  },
  test: {
    include: ['src/**/*.test.ts', 'strategies/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
