import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resultSchema, type RunResult } from '../../src/report/run/result-schema.js';
import { randomCandlesCsv } from '../support/random-candles.js';
import { temporaryFolder } from '../support/rigs/cli-runner.js';
import {
  BROWSER_TIMEOUT_MS,
  accessibilityFaults,
  chromiumPath,
  launchBrowser,
  openFile,
} from '../support/rigs/browser-rig.js';

const PROGRAM = fileURLToPath(new URL('../../bin/sluice.mjs', import.meta.url));
const PEEKING = fileURLToPath(new URL('../fixtures/peeking/candle-view.ts', import.meta.url));
const folder = temporaryFolder();
const data = join(folder.path, 'btcusdt-1h-2025.csv');
const bracket = join(folder.path, 'bracket.yaml');
const stopped = join(folder.path, 'stopped.yaml');

const configOf = (protect: string): string => `strategies:
  - id: bracket
    use: bollinger-reversion
    symbols: [BTCUSDT]
    interval: 1h
    size: { notional: '2000' }
    protect: ${protect}
`;

/** `sluice backtest` as a process of its own: its threads run the built program. */
async function backtest(name: string, ...args: readonly string[]): Promise<RunResult> {
  const out = join(folder.path, name);
  const child = spawn(
    process.execPath,
    [...[PROGRAM, 'backtest', '--data', data, '--funding', 'none', '--out', out], ...args],
    { cwd: folder.path, stdio: 'ignore' },
  );
  await once(child, 'close');
  return resultSchema.parse(JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')));
}

const page = (name: string): string => join(folder.path, name, 'report.html');

beforeAll(() => {
  writeFileSync(data, randomCandlesCsv(5, 1_500));
  // Stop and target within the range of nearly every candle.
  writeFileSync(bracket, configOf('{ stop_loss_pct: 0.1, take_profit_pct: 0.1 }'));
  writeFileSync(stopped, configOf('{ stop_loss_pct: 1 }'));
});
afterAll(() => {
  folder.remove();
});

describe.skipIf(chromiumPath === undefined)(
  'the report of one run in Chromium (skipped where there is no Chromium)',
  { timeout: BROWSER_TIMEOUT_MS },
  () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser(chromiumPath as string);
    }, BROWSER_TIMEOUT_MS);
    afterAll(async () => {
      await browser.close();
    }, BROWSER_TIMEOUT_MS);

    test('shows both bounds as a band, in the legend and in the table, which end at those of the result', async () => {
      const result = await backtest('bounds', '--config', bracket);
      expect(result.ambiguous_bars).toBeGreaterThan(0);
      expect(Number(result.equity_high)).toBeGreaterThan(Number(result.equity_low));
      const { page: opened, errors } = await openFile(browser, page('bounds'));
      const ends = [result.equity_low, result.equity_high].map((text) => Number(text).toFixed(2));
      const plain = async (place: string): Promise<string> =>
        (await opened.locator(place).first().innerText()).replaceAll(',', '');
      expect(await plain('#equity .key-bounds')).toBe(`Bounds ${ends[0]} to ${ends[1]}`);
      await opened.locator('#equity summary').click();
      expect(await plain('#equity thead')).toMatch(/Lower bound\s+Upper bound/);
      const cells = await opened.locator('#equity tbody tr').last().locator('td').allInnerTexts();
      expect(cells.slice(1, 3).map((text) => text.replaceAll(',', ''))).toEqual(ends);
      expect(await accessibilityFaults(opened)).toEqual([]);
      expect(errors).toEqual([]);
      await opened.context().close();
    });

    test('shows what the entry and the exit of the chosen trade saw, and the reason of a stop', async () => {
      await backtest('decisions', '--config', stopped);
      const { page: opened } = await openFile(browser, page('decisions'));
      const exits = opened.getByRole('combobox', { name: 'Exit' });
      await exits.selectOption({ label: 'Stop loss' });
      await opened.locator('.trades tbody button').first().click();
      const facts = opened.locator('.facts .decision');
      expect(await facts.first().innerText()).toMatch(
        /The entry saw\s+\d+(\.\d+)? is (below the lower|above the upper) band of \d+\.\d\d, \d{4}-\d\d-\d\d \d\d:\d\d after the 1h candle of BTCUSDT, at the price [\d,.]+/,
      );
      expect(await facts.last().innerText()).toMatch(
        /The exit saw\s+stop loss at [\d,.]+, no decision of the strategy at that time/,
      );
      await exits.selectOption({ label: 'Signal' });
      await opened.locator('.trades tbody button').first().click();
      expect(await facts.last().innerText()).toMatch(/is back at the average of \d+\.\d\d/);
      expect(await accessibilityFaults(opened)).toEqual([]);
      await opened.context().close();
    });

    test('has a badge for each check that passed, with words and in both themes', async () => {
      const args = ['--strategy', 'sma-cross', '--symbol', 'BTCUSDT', '--interval', '1h'];
      const { checks } = await backtest('passed', '--check', '--no-bounds', ...args);
      const { page: opened } = await openFile(browser, page('passed'), {
        width: 360,
        height: 740,
      });
      const badges = await opened.locator('.notices .good').allInnerTexts();
      expect(badges).toEqual([
        `✓ Checked: Look-ahead passed in ${checks?.look_ahead.runs} further runs`,
        `✓ Checked: Warm-up passed in ${checks?.warm_up.runs} further runs`,
      ]);
      expect(await accessibilityFaults(opened)).toEqual([]);
      await opened.getByRole('button', { name: /theme/ }).click();
      expect(await accessibilityFaults(opened)).toEqual([]);
      expect(await opened.evaluate('document.documentElement.scrollWidth')).toBe(360);
      await opened.context().close();
    });

    test('names the first offending candle of a check that failed, once', async () => {
      const args = ['--strategy', PEEKING, '--symbol', 'BTCUSDT', '--interval', '1h'];
      const { checks } = await backtest('failed', '--check', '--no-bounds', ...args);
      const offence = checks?.look_ahead.offence;
      expect(offence?.candle).toMatch(/^2025-/);
      const { page: opened } = await openFile(browser, page('failed'));
      const [badge = ''] = await opened.locator('.notices .bad').allInnerTexts();
      expect(badge).toBe(`✗ Look-ahead check failed: ${offence?.text}`);
      expect(badge).toContain(String(offence?.candle).slice(0, 16).replace('T', ' '));
      const all = await opened.locator('.notices').innerText();
      expect(all.split(offence?.text ?? '?')).toHaveLength(2);
      await opened.context().close();
    });
  },
);
