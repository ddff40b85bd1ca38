import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';

const NAMED = process.env['CHROMIUM'];
const PLACES =
  NAMED === undefined
    ? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
    : [NAMED];

/** The browser of this machine, `CHROMIUM` if it is set; undefined: there is none, and its tests are skipped. */
export const chromiumPath = PLACES.find((path) => existsSync(path));

/** For one test or hook with a browser, which draws without a graphics card, beside a stranger's load. */
export const BROWSER_TIMEOUT_MS = 240_000;
const STEP_TIMEOUT_MS = 120_000;

export const launchBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    timeout: STEP_TIMEOUT_MS,
  });

export interface OpenedPage {
  readonly page: Page;
  /** Errors of scripts and of the console. */
  readonly errors: string[];
  /** Addresses other than the file itself that the page asked for. */
  readonly requests: string[];
}

/** Opens a file as a person does, and listens for anything that leaves it. */
export async function openFile(
  browser: Browser,
  file: string,
  { width = 1280, height = 900, dark = false, javaScriptEnabled = true } = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    javaScriptEnabled,
  });
  context.setDefaultTimeout(STEP_TIMEOUT_MS);
  const page = await context.newPage();
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('request', (request) => {
    const url = request.url();
    if (url !== `file://${file}` && !url.startsWith('data:')) requests.push(url);
  });
  await page.goto(`file://${file}`);
  return { page, errors, requests };
}

/** Waits until the page has drawn what the last event changed. */
export const nextFrame = (page: Page): Promise<unknown> =>
  page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))',
  );

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules that the page breaks, each with its first element. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate('axe.run()');
  const { violations } = found as {
    violations: readonly { id: string; nodes: readonly { html: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
