import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runSluice, temporaryFolder, type CliResult } from '../support/rigs/cli-runner.js';
import {
  BROWSER_TIMEOUT_MS,
  accessibilityFaults,
  chromiumPath,
  launchBrowser,
  nextFrame,
  openFile,
} from '../support/rigs/browser-rig.js';

const RANGE = ['--from', '2025-05-05', '--to', '2025-05-07'];

const folder = temporaryFolder();
const out = join(folder.path, 'run');
const file = join(out, 'report.html');
let run: CliResult;

beforeAll(async () => {
  run = await runSluice(['backtest', ...RANGE, '--json', '--out', out]);
}, BROWSER_TIMEOUT_MS);
afterAll(() => {
  folder.remove();
});

const result = (): {
  readonly report: string;
  readonly net_profit: string;
  readonly trades: number;
} => JSON.parse(run.stdout) as never;

describe('sluice backtest', () => {
  test('writes its report into the folder of the run, and names it', () => {
    expect(run.exitCode).toBe(0);
    expect(result().report).toBe(file);
    expect(statSync(file).size).toBeLessThan(1_000_000);
    expect(JSON.parse(readFileSync(join(out, 'result.json'), 'utf8'))).toMatchObject({
      report: file,
    });
  });

  test('writes no report with --no-report', async () => {
    const other = join(folder.path, 'other');
    const { stdout } = await runSluice([
      'backtest',
      ...RANGE,
      '--json',
      '--no-report',
      '--out',
      other,
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ report: null });
    expect(statSync(join(other, 'report.html'), { throwIfNoEntry: false })).toBeUndefined();
  });

  test('writes the same page for the same run in another folder', async () => {
    const other = join(folder.path, 'again');
    await runSluice(['backtest', ...RANGE, '--json', '--out', other]);
    const page = readFileSync(join(other, 'report.html'), 'utf8');
    expect(page === readFileSync(file, 'utf8')).toBe(true);
  });
});

describe.skipIf(chromiumPath === undefined)(
  'the report in Chromium (skipped where there is no Chromium)',
  { timeout: BROWSER_TIMEOUT_MS },
  () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser(chromiumPath as string);
    }, BROWSER_TIMEOUT_MS);
    afterAll(async () => {
      await browser.close();
    }, BROWSER_TIMEOUT_MS);

    const cardTitle = (page: Page): Promise<string> => page.locator('.card h3').innerText();
    const legendTime = (page: Page): Promise<string> =>
      page.locator('#equity .legend .time').innerText();
    const tradesInView = async (page: Page): Promise<number> => {
      const text = await page.locator('#price .note').innerText();
      return Number(/([\d,]+) trades? in view/.exec(text)?.[1]?.replace(',', ''));
    };

    test('opens from the file alone, with the figures of the run, and asks for nothing else', async () => {
      const { page, errors, requests } = await openFile(browser, file);
      const net = Math.abs(Number(result().net_profit)).toFixed(2);
      expect((await page.locator('.net').innerText()).replaceAll(',', '')).toContain(net);
      expect(await page.locator('h1').innerText()).toContain('BTCUSDT');
      expect(await page.title()).toContain('sma-cross');
      expect(await page.locator('#trades [role=status]').innerText()).toContain(
        `${result().trades} trades`,
      );
      // Canvases that have something drawn on them.
      const drawn = (): Promise<unknown> =>
        page.evaluate(
          `[...document.querySelectorAll('canvas')].filter((each) => each.width > 300 &&
            new Set(each.getContext('2d').getImageData(0, 0, each.width, each.height).data).size > 2).length`,
        );
      await expect.poll(drawn).toBeGreaterThanOrEqual(5);
      expect(errors).toEqual([]);
      expect(requests).toEqual([]);
      await page.context().close();
    });

    test('shows the values under the pointer, and zooms by drag, button and double click', async () => {
      const { page } = await openFile(browser, file);
      const chart = page.locator('#equity .u-over').first();
      await chart.scrollIntoViewIfNeeded();
      const box = await chart.boundingBox();
      if (box === null) throw new Error('the chart has no place');
      const hover = async (share: number): Promise<string> => {
        await page.mouse.move(box.x + box.width * share, box.y + 60);
        await nextFrame(page);
        return legendTime(page);
      };
      const [left, middle] = [await hover(0.05), await hover(0.5)];
      expect(left.slice(0, 10)).toBe('2025-05-05');
      expect(middle > left).toBe(true);
      await page.mouse.move(box.x + box.width * 0.5, box.y + 60);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.75, box.y + 70, { steps: 4 });
      await page.mouse.up();
      await nextFrame(page);
      expect((await hover(0.05)) >= middle).toBe(true);
      await page.mouse.dblclick(box.x + box.width * 0.5, box.y + 60);
      expect(await hover(0.05)).toBe(left);
      await page
        .getByRole('group', { name: /equity/ })
        .getByLabel('Zoom in')
        .click();
      expect((await hover(0.05)) > left).toBe(true);
      const before = await tradesInView(page);
      await page.getByRole('group', { name: /price/ }).getByLabel('Zoom in').click();
      await expect.poll(() => tradesInView(page)).toBeLessThan(before);
      await page.getByRole('group', { name: /price/ }).getByLabel('Show all').click();
      await expect.poll(() => tradesInView(page)).toBe(result().trades);
      await page.context().close();
    });

    test('sorts and filters the trades, and a click on one shows it in the chart', async () => {
      const { page, errors } = await openFile(browser, file);
      const rows = page.locator('.trades tbody tr');
      await page.getByRole('button', { name: 'Net' }).click();
      expect(await page.locator('th[aria-sort=ascending]').innerText()).toContain('Net');
      const nets = (await page.locator('.trades tbody .figure').allInnerTexts()).map((text) =>
        Number(text.replace('−', '-').replace(',', '')),
      );
      expect(nets).toEqual([...nets].sort((a, b) => a - b));
      await page.getByLabel('Side').selectOption('short');
      const sides = await page.locator('.trades tbody td.word:nth-child(2)').allInnerTexts();
      expect(new Set(sides)).toEqual(new Set(['Short']));
      const [number, , entry] = await rows.nth(2).locator('td').allInnerTexts();
      await rows.nth(2).click();
      expect(await cardTitle(page)).toBe(`Trade ${number}`);
      expect(await page.locator('.facts').innerText()).toContain(entry as string);
      await expect.poll(() => tradesInView(page)).toBeLessThan(result().trades);
      await expect
        .poll(() => page.evaluate("document.querySelector('#price').getBoundingClientRect().top"))
        .toBeLessThan(200);
      await page.getByRole('button', { name: 'Next trade' }).click();
      expect(await cardTitle(page)).toBe(`Trade ${Number(number) + 1}`);
      expect(errors).toEqual([]);
      await page.context().close();
    });

    test('selects the trade whose mark is clicked', async () => {
      const { page } = await openFile(browser, file);
      await page.getByRole('button', { name: 'First trade' }).click();
      const frame = page.locator('.price-frame');
      await frame.scrollIntoViewIfNeeded();
      const box = await frame.boundingBox();
      if (box === null) throw new Error('the chart has no place');
      const selected = async (): Promise<string> => {
        for (let y = 20; y < box.height - 80; y += 14)
          for (let x = box.width * 0.45; x < box.width * 0.9; x += 14) {
            await page.mouse.click(box.x + x, box.y + y);
            await nextFrame(page);
            const title = await cardTitle(page);
            if (title !== 'Trade 1') return title;
          }
        return 'none';
      };
      expect(await selected()).toMatch(/^Trade \d+$/);
      await page.context().close();
    });

    test('works by keyboard alone', async () => {
      const { page } = await openFile(browser, file);
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent.trim()')).toContain('Skip');
      await page.locator('.trades tbody button').first().focus();
      await page.keyboard.press('ArrowDown');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('2');
      await page.keyboard.press('Enter');
      expect(await cardTitle(page)).toBe('Trade 2');
      await page.context().close();
    });

    test('leads from a statistic to its definition', async () => {
      const { page } = await openFile(browser, file);
      await page.getByRole('link', { name: 'Sortino ratio' }).click();
      await expect.poll(() => page.url()).toContain('#def-sortino');
      const definition = page.locator('#def-sortino');
      expect(await definition.innerText()).toContain('√(mean of min(return, 0)²)');
      const missing = await page.evaluate(
        `[...document.querySelectorAll('main a[href^="#"]')].map((a) => a.getAttribute('href')).filter((href) => !document.getElementById(href.slice(1)))`,
      );
      expect(missing).toEqual([]);
      await page.context().close();
    });

    test('follows the theme of the system until the person switches', async () => {
      const { page } = await openFile(browser, file, { dark: true });
      const brightness = async (): Promise<number> => {
        const colour = await page.evaluate('getComputedStyle(document.body).backgroundColor');
        return Number(/\d+/.exec(String(colour))?.[0]);
      };
      await expect.poll(brightness).toBeLessThan(60);
      await page.getByRole('button', { name: 'Light theme' }).click();
      await expect.poll(brightness).toBeGreaterThan(200);
      await page.emulateMedia({ colorScheme: 'light' });
      await page.getByRole('button', { name: 'Dark theme' }).click();
      await expect.poll(brightness).toBeLessThan(60);
      await page.context().close();
    });

    test.each([
      ['a desktop', { width: 1280 }],
      ['a phone of 360 px', { width: 360, height: 740 }],
    ])('is accessible in both themes, and fits, on %s', async (_name, options) => {
      const { page, errors } = await openFile(browser, file, options);
      await page.locator('.trades tbody button').first().click();
      await page.evaluate(
        "document.querySelectorAll('details').forEach((each) => (each.open = true))",
      );
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: /theme/ }).click();
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.width);
      await page.setViewportSize({ width: 700, height: 800 });
      await expect
        .poll(() => page.evaluate("document.querySelector('.uplot').clientWidth"))
        .toBeLessThan(700);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(700);
      expect(errors).toEqual([]);
      await page.context().close();
    });

    test('shows names with HTML in them as text', async () => {
      const name = '<img src=x onerror=document.title=1></script><script>document.title=2</script>';
      const hostile = join(folder.path, 'hostile.html');
      const escaped = JSON.stringify(name).replaceAll('<', '\\u003c');
      writeFileSync(hostile, readFileSync(file, 'utf8').replace('"sma-cross"', escaped));
      const { page, errors, requests } = await openFile(browser, hostile);
      expect(await page.locator('h1').innerText()).toContain('<img src=x');
      expect(await page.title()).toContain('<img');
      expect(await page.locator('img').count()).toBe(0);
      expect([errors, requests]).toEqual([[], []]);
      await page.context().close();
    });

    test('says where the figures are when scripts are off', async () => {
      const { page } = await openFile(browser, file, { javaScriptEnabled: false });
      expect(await page.locator('body').innerText()).toContain('result.json');
      await page.context().close();
    });
  },
);
