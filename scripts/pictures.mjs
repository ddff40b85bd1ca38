#!/usr/bin/env node
// The pictures of docs/report.md: backtests of the bundled market, their pages in Chromium, PNG files in docs/.
// Usage: npm run pictures. CHROMIUM names the browser; default: /usr/bin/chromium.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { prepareOrExit } from './prepare.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium';

if (!existsSync(BROWSER)) {
  process.stderr.write(`pictures: there is no browser at ${BROWSER}; CHROMIUM names another\n`);
  process.exit(2);
}
prepareOrExit({ dev: true });
const folder = mkdtempSync(join(tmpdir(), 'sluice-pictures-'));
try {
  await takePictures();
} finally {
  rmSync(folder, { recursive: true });
}

async function takePictures() {
  for (const [fast, slow] of [
    [10, 50],
    [20, 100],
    [50, 200],
  ])
    sluice('backtest', ...run(`sma-${fast}-${slow}`, `fast=${fast}`, `slow=${slow}`));
  const runs = ['sma-10-50', 'sma-20-100', 'sma-50-200'];
  sluice('runs', 'compare', '--dir', folder, ...runs, '--html', join(folder, 'comparison.html'));
  const browser = await chromium.launch({
    executablePath: BROWSER,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const report = join(folder, 'sma-10-50/report.html');
  const comparison = join(folder, 'comparison.html');
  await picture(browser, report, { name: 'report-light', width: 1100, height: 1010 });
  await picture(browser, report, {
    ...{ name: 'report-dark', width: 1100, height: 1000, dark: true },
    prepare: async (page) => {
      await page.locator('.trades tbody button').first().click();
      await page.mouse.move(0, 0);
      await page.locator('#price').evaluate((element) => element.scrollIntoView());
    },
  });
  await picture(browser, report, { name: 'report-phone', width: 360, height: 760 });
  await picture(browser, comparison, { name: 'comparison', width: 1100, height: 1010 });
  await browser.close();
}

function run(name, ...params) {
  const given = params.flatMap((param) => ['--param', param]);
  return ['--funding', 'none', '--out', join(folder, name), ...given];
}

function sluice(...args) {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'bin/sluice.mjs'), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`sluice ${args.join(' ')} ended with ${status}`);
}

async function picture(browser, file, { name, width, height, dark = false, prepare }) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(pathToFileURL(file).href);
  await prepare?.(page);
  // The charts draw after their frame has a size.
  await page.waitForTimeout(500);
  const path = join(ROOT, 'docs', `${name}.png`);
  await page.screenshot({ path });
  await context.close();
  process.stdout.write(`${path}\n`);
}
