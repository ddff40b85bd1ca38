import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { loadStrategy } from '../../src/strategy/loader/loader.js';
import { simulate, syntheticCandles } from '../../src/testing/index.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TEXT = readFileSync(join(ROOT, 'README.md'), 'utf8');
mkdirSync(join(ROOT, '.sluice'), { recursive: true });
const folder = mkdtempSync(join(ROOT, '.sluice/readme-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('the README', () => {
  it('wins in about 110 lines', () => {
    expect(TEXT.split('\n').length).toBeLessThanOrEqual(115);
  });

  it('shows a strategy that loads and trades', async () => {
    const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(TEXT) ?? [];
    const file = join(folder, 'rsi-dip.ts');
    writeFileSync(file, code);
    const definition = await loadStrategy(file, { configDir: folder });
    const candles = syntheticCandles({ count: 2_000, seed: 1 });
    expect(simulate({ strategy: definition, candles }).orders.length).toBeGreaterThan(1);
  });
});
