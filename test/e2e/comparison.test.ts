import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runSluice, temporaryFolder, type CliResult } from '../support/rigs/cli-runner.js';
import {
  BROWSER_TIMEOUT_MS,
  accessibilityFaults,
  chromiumPath,
  launchBrowser,
  nextFrame,
  openFile,
} from '../support/rigs/browser-rig.js';

const DAYS = ['--from', '2025-05-05', '--to', '2025-05-07'];
/** Names with characters that have a meaning in an address. */
const [SLOW, FAST, RUPEES] = ['slow #1', 'fast 50%', 'rupees'];

const folder = temporaryFolder();
const made = join(folder.path, 'made');
const dir = join(folder.path, 'runs');
const file = join(folder.path, 'comparison.html');

beforeAll(async () => {
  const backtest = async (name: string, ...args: readonly string[]): Promise<void> => {
    const { exitCode, stderr } = await runSluice(['backtest', '--out', join(made, name), ...args]);
    expect(exitCode, stderr).toBe(0);
  };
  await backtest(SLOW, ...DAYS, '--param', 'fast=30', '--param', 'slow=120');
  await backtest(FAST, ...DAYS, '--param', 'fast=5');
  const later = ['--from', '2025-05-08', '--to', '2025-05-09', '--no-report'];
  await backtest(RUPEES, ...later, '--currency', 'INR', '--cash', '900000');
}, BROWSER_TIMEOUT_MS);
beforeEach(() => {
  rmSync(dir, { recursive: true, force: true });
  cpSync(made, dir, { recursive: true });
  rmSync(file, { force: true });
});
afterAll(() => {
  folder.remove();
});

const compare = (...args: readonly string[]): Promise<CliResult> =>
  runSluice(['runs', 'compare', '--dir', dir, ...args]);
const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

describe('sluice runs compare --html', () => {
  test('writes one small page of six runs, and names it', async () => {
    const { exitCode, stdout } = await compare(
      SLOW,
      FAST,
      RUPEES,
      SLOW,
      FAST,
      SLOW,
      '--html',
      file,
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`The page is ${file}`);
    expect(statSync(file).size).toBeLessThan(3_000_000);
    const { stdout: json } = await compare(SLOW, FAST, '--html', file, '--json');
    expect(JSON.parse(json)).toMatchObject({ page: file, same: false });
  });

  test('prints the path where no browser can open the page', async () => {
    const { exitCode, stderr } = await compare(SLOW, FAST, '--html', file, '--open');
    expect(exitCode).toBe(0);
    expect(stderr).toContain(file);
  });

  test.each<[string, () => void, RegExp]>([
    [
      'a run without its equity',
      () => {
        rmSync(join(dir, FAST, 'equity.csv'));
      },
      /fast 50%: trades\.csv, equity\.csv or fills\.csv is missing.*repeat the run: npx sluice backtest .*param fast=5/,
    ],
    [
      'a run whose equity is no table of numbers',
      () => {
        writeFileSync(join(dir, FAST, 'equity.csv'), 'time,equity\n1746403260,many\n');
      },
      /equity\.csv was changed: line 2: "1746403260,many" is no time and equity/,
    ],
    [
      'a run whose result was cut off',
      () => {
        writeFileSync(join(dir, FAST, 'result.json'), '{"schema_version": 1,');
      },
      /result\.json is no whole JSON/,
    ],
  ])('%s ends with exit code 2 and leaves no page', async (_name, damage, message) => {
    damage();
    const { exitCode, stderr, stdout } = await compare(SLOW, `${dir}/${FAST}`, '--html', file);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
    expect([stdout, exists(file)]).toEqual(['', false]);
  });

  test.each([
    [['--html', 'page.json'], /--html takes a file that ends in \.html, not "page\.json"/],
    [['--open'], /--open needs the page to open: give --html FILE too/],
    [['--html', join(folder.path, 'nowhere', 'page.html')], /there is no folder .*nowhere/],
    [['--html', join(dir, SLOW, 'report.html')], /is the report of run slow #1; choose another/],
  ])('%j is refused before anything is printed', async (args, message) => {
    const { exitCode, stderr, stdout } = await compare(SLOW, FAST, ...args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  test('seven runs are refused with the allowed number', async () => {
    const { exitCode, stderr } = await compare(...Array(7).fill(SLOW), '--html', file);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('compare takes 2 to 6 runs, not 7');
    expect(exists(file)).toBe(false);
  });

  test('a folder in the place of the page ends with exit code 1', async () => {
    mkdirSync(file);
    const { exitCode, stderr } = await compare(SLOW, FAST, '--html', file);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('the page cannot be written');
    rmSync(file, { recursive: true });
  });
});

describe.skipIf(chromiumPath === undefined)(
  'the comparison in Chromium (skipped where there is no Chromium)',
  { timeout: BROWSER_TIMEOUT_MS },
  () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser(chromiumPath as string);
    }, BROWSER_TIMEOUT_MS);
    afterAll(async () => {
      await browser.close();
    }, BROWSER_TIMEOUT_MS);
    beforeEach(async () => {
      const { exitCode, stderr } = await compare(SLOW, FAST, RUPEES, '--html', file);
      expect(exitCode, stderr).toBe(0);
    }, BROWSER_TIMEOUT_MS);

    test('shows curves, differences, figures and commands, and asks for nothing else', async () => {
      const { page, errors, requests } = await openFile(browser, file);
      expect(await page.locator('h1').innerText()).toContain('3 runs');
      const notices = await page.locator('.notices').innerText();
      expect(notices).toContain('no time in common');
      expect(notices).toContain('USDT and INR');
      const drawn = (): Promise<unknown> =>
        page.evaluate(
          `[...document.querySelectorAll('canvas')].filter((each) => each.width > 300 &&
            new Set(each.getContext('2d').getImageData(0, 0, each.width, each.height).data).size > 2).length`,
        );
      await expect.poll(drawn).toBe(2);
      const fast = page.locator('#differences tr', { hasText: 'strategy.params.fast' });
      expect(await fast.locator('td').allInnerTexts()).toEqual(['30', '5', expect.any(String)]);
      const net = page.locator('#results tr', { hasText: 'Net profit' });
      expect((await net.innerText()).replaceAll(',', '')).toMatch(/USDT.*USDT.*INR/s);
      expect(await net.locator('.best').count()).toBe(0);
      const result = JSON.parse(readFileSync(join(dir, SLOW, 'result.json'), 'utf8')) as {
        readonly repeat: string;
        readonly run_hash: string;
      };
      const repeats = await page.locator('#repeat').innerText();
      expect(repeats).toContain(result.repeat);
      expect(repeats).toContain(result.run_hash);
      expect([errors, requests]).toEqual([[], []]);
      await page.context().close();
    });

    test('marks the best of a row by a word, where the runs can be compared', async () => {
      await compare(SLOW, FAST, '--html', file);
      const { page } = await openFile(browser, file);
      const net = page.locator('#results tr', { hasText: 'Net profit' });
      const marks = await net.locator('td').allInnerTexts();
      expect(marks.filter((text) => text.includes('best'))).toHaveLength(1);
      expect(await page.locator('.notices').count()).toBe(0);
      const trades = page.locator('#results tr', { hasText: 'Closed trades' });
      expect(await trades.innerText()).not.toContain('best');
      await page.context().close();
    });

    test('leads from a run to its own report, and gives a run without one no link', async () => {
      const { page, errors } = await openFile(browser, file);
      expect(await page.locator('#runs a').allInnerTexts()).toEqual([SLOW, FAST]);
      await page.getByRole('link', { name: FAST }).click();
      await page.waitForURL(/report\.html$/);
      expect(await page.locator('.kicker').innerText()).toBe('Backtest');
      expect(errors).toEqual([]);
      await page.context().close();
    });

    test('shows each run under the pointer and at its end, and zooms by button', async () => {
      await compare(SLOW, FAST, '--html', file);
      const { page } = await openFile(browser, file);
      const legend = page.locator('#equity .legend');
      expect(await legend.locator('.time').innerText()).toBe('At the end');
      const ends = await legend.innerText();
      const chart = page.locator('#equity .u-over').first();
      await chart.scrollIntoViewIfNeeded();
      const box = await chart.boundingBox();
      if (box === null) throw new Error('the chart has no place');
      const hover = async (): Promise<string> => {
        await page.mouse.move(box.x + box.width * 0.1, box.y + 60);
        await nextFrame(page);
        return legend.innerText();
      };
      const early = await hover();
      expect(early).toContain('2025-05-05');
      expect(early).not.toBe(ends);
      expect(early.match(/\d+\.\d\d, drawdown/g)).toHaveLength(2);
      await page.getByLabel('Zoom in').click();
      expect(await hover()).not.toBe(early);
      await page.context().close();
    });

    test('gives the charts as tables, which start at 100', async () => {
      const { page } = await openFile(browser, file);
      await page.locator('summary').first().focus();
      await page.keyboard.press('Enter');
      const rows = page.locator('#equity details').first().locator('tbody tr');
      expect(await rows.first().locator('td').allInnerTexts()).toEqual(['100.00', '100.00', '–']);
      const last = await rows.last().locator('td').allInnerTexts();
      expect(last.slice(0, 2)).toEqual(['–', '–']);
      expect(last[2]).toMatch(/^\d+\.\d\d$/);
      await page.context().close();
    });

    test.each([
      ['a desktop', { width: 1280 }],
      ['a phone of 360 px', { width: 360, height: 740 }],
    ])('is accessible in both themes, and fits, on %s', async (_name, options) => {
      const six = [SLOW, FAST, RUPEES, SLOW, FAST, RUPEES];
      await compare(...six, '--html', file);
      const { page, errors } = await openFile(browser, file, options);
      await page.evaluate(
        "document.querySelectorAll('details').forEach((each) => (each.open = true))",
      );
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.width);
      expect(errors).toEqual([]);
      await page.getByRole('button', { name: /theme/ }).click();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.context().close();
    });
  },
);
