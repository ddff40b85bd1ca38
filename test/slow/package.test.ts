import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** The twin of `npm run proof:package`, which installs the packages too. */
it('what is packed takes a new user from init to the first fill', async () => {
  const proof = join(ROOT, 'test/longrun/proofs/package.mjs');
  const { stdout } = await run(process.execPath, [proof, '--linked', '--json'], { cwd: ROOT });
  const { steps } = JSON.parse(stdout) as {
    readonly steps: readonly { readonly step: string; readonly first_fill_ms?: number | null }[];
  };
  expect(steps.map(({ step }) => step)).toEqual([
    'npm pack',
    'npm init -y',
    'link',
    'npx sluice init my-bot',
    'npx sluice strategy check strategies/my-first.ts',
    'npm test',
    'npx sluice backtest --config config/backtest.yaml',
    'npx sluice dev config/sandbox.yaml',
  ]);
  expect(steps.at(-1)?.first_fill_ms).toBeGreaterThan(0);
}, 180_000);
