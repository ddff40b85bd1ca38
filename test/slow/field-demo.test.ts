import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

it('the demo trades on a venue with the quirks of the field, and ends reconciled', async () => {
  const config = join(folder.path, 'field.yaml');
  const demo = readFileSync('config/demo.yaml', 'utf8')
    .replace('embedded: { ', 'embedded: { quirks: field, ')
    .replace('.sluice/demo', join(folder.path, 'state'));
  expect(demo).toContain('quirks: field');
  writeFileSync(config, demo);
  const run = await runSluice(['run', '--config', config, '--duration', '15s', '--json']);
  expect(run.exitCode, run.stderr).toBe(0);
  const summary = JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '');
  expect(summary).toMatchObject({ reconciled: true, unknown: 0 });
  expect(summary.orders_filled).toBeGreaterThan(0);
}, 60_000);
