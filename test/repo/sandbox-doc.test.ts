import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { controlRoutes } from '../../src/sandbox/control/control-routes.js';
import { FAULT_NAMES } from '../../src/sandbox/faults/fault-names.js';
import { QUIRKS } from '../../src/sandbox/behavior/quirks.js';
import { serveSandbox, type ServedSandbox } from '../support/rigs/served-sandbox.js';

const FILE = new URL('../../docs/sandbox.md', import.meta.url);
const TEXT = readFileSync(FILE, 'utf8');
const SHOWN_ADDRESS = 'http://127.0.0.1:8787';

interface Example {
  readonly commands: readonly string[];
  /** The answer of the last command on the page. */
  readonly shown: string;
}

/** Every `sh` block of curl commands with the `json` block after it. */
const EXAMPLES: readonly Example[] = [
  ...TEXT.matchAll(/```sh\n(curl [^`]+)```\n+(?:```json\n([^`]+)```)?/g),
].map(([, block = '', shown = '']) => ({
  commands: block
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== ''),
  shown,
}));

let served: ServedSandbox;
beforeAll(async () => {
  served = await serveSandbox({ limits: false });
});
afterAll(() => served.close());

/** Performs a curl command with the options that the page uses. */
async function curl(command: string, positionId: string): Promise<unknown> {
  const args = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare);
  let method = 'GET';
  let url = '';
  let body: string | undefined;
  const headers: [string, string][] = [];
  for (let arg = args.shift(); arg !== undefined; arg = args.shift()) {
    if (arg === '-X') method = args.shift() ?? '';
    else if (arg === '-d') body = args.shift() ?? '';
    else if (arg === '-H') headers.push((args.shift() ?? '').split(': ') as [string, string]);
    else if (arg.startsWith('http')) url = arg;
    else if (arg !== 'curl' && arg !== '-s') throw new Error(`curl ${arg} is not supported here`);
  }
  expect(url.startsWith(`${SHOWN_ADDRESS}/`)).toBe(true);
  const target = url
    .replace(SHOWN_ADDRESS, served.server.baseUrl)
    .replace('POSITION_ID', positionId);
  const reply = await fetch(target, { method, headers, ...(body !== undefined && { body }) });
  return (await reply.json()) as unknown;
}

/** Keys and types only, since ids, times and prices differ each time. A list has its first item. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shapeOf(item)]));
}

/** The answer with lists cut to their first item. */
const shortened = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.slice(0, typeof value[0] === 'number' ? undefined : 1).map(shortened)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item)]))
      : value;

/** Repeats reads until they show a fill, which follows its order asynchronously. */
async function replyTo(command: string, positionId: string, shown: string): Promise<unknown> {
  let answer = await curl(command, positionId);
  if (command.includes('-X')) return answer;
  const expectedReply = JSON.stringify(shapeOf(JSON.parse(shown)));
  for (let tries = 0; tries < 50; tries += 1) {
    if (JSON.stringify(shapeOf(answer)) === expectedReply) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
    answer = await curl(command, positionId);
  }
  return answer;
}

it('every curl example of docs/sandbox.md works, and its answer has the shape that is shown', async () => {
  expect(EXAMPLES.length).toBeGreaterThan(10);
  let positionId = '';
  let text = TEXT;
  for (const { commands, shown } of EXAMPLES) {
    for (const command of commands.slice(0, -1)) await curl(command, positionId);
    const last = commands.at(-1) ?? '';
    const answer = shortened(await replyTo(last, positionId, shown));
    positionId = /"position_id":"([^"]+)"/.exec(JSON.stringify(answer))?.[1] ?? positionId;
    if (process.env['UPDATE_DOCS'] !== '1') {
      expect([last, shapeOf(answer)]).toEqual([last, shapeOf(JSON.parse(shown))]);
      continue;
    }
    const at = text.indexOf(shown, text.indexOf(commands[0]?.slice(0, 90) ?? ''));
    text = `${text.slice(0, at)}${JSON.stringify(answer)}\n${text.slice(at + shown.length)}`;
  }
  if (process.env['UPDATE_DOCS'] !== '1') return;
  const options = await resolveConfig(FILE.pathname);
  writeFileSync(FILE, await format(text, { ...options, parser: 'markdown' }));
}, 20_000);

describe('docs/sandbox.md', () => {
  it.each(FAULT_NAMES)('the page lists the fault %s', (name) => {
    expect(TEXT).toMatch(new RegExp(`\`${name}(?:\\(|\`)`));
  });

  it.each(controlRoutes({} as never))('the page lists $method $path', ({ path }) => {
    expect(TEXT).toMatch(new RegExp(`[A-Z] ${path}\``));
  });

  it('the page lists every documented path', () => {
    const summary = [
      'GET /wallet/funds, POST /wallet/futures/transfer, POST /futures/transfers/inr, GET /futures/funds',
      'GET /futures/transactions, GET /futures, GET /futures/{asset_id}, GET /futures/{asset_id}/leverage',
      'POST /futures/{asset_id}/leverage, POST /futures/{asset_id}/order, POST /fapi/v2/futures/order',
      'GET /futures/orders, GET /futures/orders/history, GET /futures/orders/{order_id}',
      'GET /futures/orders/detail, GET /futures/orders/{order_id}/execution-report',
      'PATCH /futures/orders/{order_id}, DELETE /futures/orders/{order_id}, DELETE /futures/orders',
      'GET /futures/positions, GET /futures/positions/history',
      'POST /futures/positions/{position_id}/riskorder, PATCH /futures/positions/{position_id}/riskorder',
      'POST /futures/positions/{position_id}/add-margin, POST /futures/positions/{position_id}/close/partial',
      'POST /futures/positions/{position_id}/close, POST /futures/positions/{position_id}/reverse',
      'GET /futures/positions/{position_id}/liq-price, GET /futures/fee/history',
      'GET /fapi/v1/price/kline, GET /fapi/v1/price/mark-kline',
    ].flatMap((line) => line.split(', '));
    expect(summary).toHaveLength(31);
    for (const row of summary) expect(TEXT).toContain(`\`${row}\``);
    expect(TEXT).toContain('`/fapi/v1/price/ws/linear`');
  });

  it('the page links to the list of quirks, which names each', () => {
    expect(TEXT).toContain('(assumptions.md#quirks)');
    const list = readFileSync(new URL('assumptions.md', FILE), 'utf8');
    for (const { name } of QUIRKS) expect(list).toContain(`\`${name}\``);
  });
});
