import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/venue/futures-api/http/operations.js';
import { ALL_CASES } from './all-cases.js';
import { ENDPOINT_ROWS, ROWS, type EndpointRow, type Row } from './rows.js';

const FILE = new URL('../../docs/interface.md', import.meta.url);
const SANDBOX = new URL('../../src/sandbox/routes/', import.meta.url);

/** Answered without a row: a request of public clients that the interface lacks. */
const BESIDE = ['POST /fapi/v1/wallet/funds'];

interface ServedRoute {
  readonly method: string;
  readonly path: string;
}

/** A stub of the context that a route table reads while it is built. */
const anyTrader: unknown = new Proxy(() => anyTrader, {
  get: (_target, name) => (name === Symbol.toPrimitive ? () => '' : anyTrader),
});

/** Control paths are no part of the interface. The other file only joins the tables. */
const NO_TABLES = ['control-routes.ts', 'venue-routes.ts'];

/** `METHOD path` → the sandbox file that answers it, from the route tables. */
async function handlers(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const files = readdirSync(SANDBOX).filter((name) => name.endsWith('-routes.ts'));
  for (const file of files.filter((name) => !NO_TABLES.includes(name))) {
    const module = (await import(new URL(file, SANDBOX).href)) as Record<string, unknown>;
    for (const [name, made] of Object.entries(module)) {
      if (!name.endsWith('Routes')) continue;
      const routes = (made as (trader: unknown) => readonly ServedRoute[])(anyTrader);
      for (const { method, path } of routes)
        found.set(`${method} ${path}`, `src/sandbox/routes/${file}`);
    }
  }
  return found;
}

const clients = new Map(
  Object.entries(OPERATIONS).map(([name, { method, path }]) => [`${method} ${path}`, name]),
);
const clientOf = (line: string): string | undefined =>
  // One method has two rows, because an order is cancelled by either id.
  clients.get(line)?.replace(/ByClientId$/, '');

const lineOf = ({ method, path }: EndpointRow): string => `${method} ${path}`;

const casesOf = ({ id }: Row): string => {
  const own = ALL_CASES.filter((test) => test.row === id);
  const [first] = own;
  return own.length === 1 ? (first?.id ?? '') : `${id}.1 – ${id}.${own.length}`;
};

const HEAD = `# The interface, row by row

Each row of the venue's documents has cases in the contract suite (\`test/contract/\`), which runs against any venue:

\`\`\`sh
npm run contract                                                     # sandboxes of its own: HTTP and client library
npm run contract -- --base-url http://127.0.0.1:8787 --secret-file F # a running sandbox
npm run contract -- --base-url https://… --secret-file F --read-only # a real venue: reads only
npm run contract -- --row R12 --json
\`\`\`

A case is written from the documents and imports neither side. It runs over plain HTTP, and again through the client library. There the typed
methods send the requests, and their reading of each answer is compared with the answer. \`--help\` lists all options.

No sequence of requests separates the hours and days of the rate limits from their minutes (60 × 500 = 30,000). The short cases show that they do
not bind earlier; \`--long\` sends the whole number.

The suite, the client's table of operations and the sandbox's route tables generate this page:
\`UPDATE_DOCS=1 npx vitest run test/contract/interface-doc.test.ts\`.
`;

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '\\<');

function endpointTable(byLine: ReadonlyMap<string, string>): string {
  const rows = ENDPOINT_ROWS.map((row) => {
    const stream = row.method === 'WebSocket';
    const client = stream ? 'marketStream' : clientOf(lineOf(row));
    const handler = stream
      ? 'src/sandbox/stream/sandbox-stream-session.ts'
      : byLine.get(lineOf(row));
    const line = `\`${lineOf(row)}\``;
    return `| ${row.id} | ${line} | \`${client ?? ''}\` | \`${handler ?? ''}\` | ${casesOf(row)} |`;
  });
  const head =
    '| row | endpoint | client method | sandbox | cases |\n| --- | --- | --- | --- | --- |';
  return `## Endpoints\n\n${head}\n${rows.join('\n')}\n`;
}

const SECTIONS: readonly (readonly [title: string, rows: RegExp])[] = [
  ['Errors of order create (v1)', /^E1/],
  ['Errors of order create (v2)', /^E2/],
  ['Other trading errors', /^E3/],
  ['Errors of market data', /^E4/],
  ['Errors of the stream', /^E5/],
  ['States', /^S/],
  ['Currencies', /^C/],
  ['Client order ids', /^I/],
  ['Limits', /^L/],
  ['Streams', /^W/],
  ['Fields', /^F/],
  ['Lists', /^P/],
  ['Requests and answers', /^B/],
  ['Access', /^A/],
];

function section(title: string, rows: readonly Row[]): string {
  const lines = rows.map(
    (row) => `| ${row.id} | ${cell(row.statement)} | ${row.source} | ${casesOf(row)} |`,
  );
  const head = '| row | statement | source | cases |\n| --- | --- | --- | --- |';
  return `## ${title}\n\n${head}\n${lines.join('\n')}\n`;
}

describe('docs/interface.md', () => {
  let byLine: ReadonlyMap<string, string>;
  beforeAll(async () => {
    byLine = await handlers();
  });

  it('every endpoint row has a client method and a sandbox handler', () => {
    const lines = ENDPOINT_ROWS.filter((row) => row.method !== 'WebSocket').map(lineOf);
    expect(lines.filter((line) => clientOf(line) === undefined)).toEqual([]);
    expect(lines.filter((line) => !byLine.has(line))).toEqual([]);
  });

  it('neither side has a path that is no row', () => {
    const lines = ENDPOINT_ROWS.map(lineOf);
    expect([...clients.keys()].filter((line) => !lines.includes(line))).toEqual([]);
    expect([...byLine.keys()].filter((line) => !lines.includes(line))).toEqual(BESIDE);
  });

  it('the page equals the rows of the suite', async () => {
    const sections = SECTIONS.map(([title, rows]) =>
      section(
        title,
        ROWS.filter(({ id }) => rows.test(id)),
      ),
    );
    const options = await resolveConfig(FILE.pathname);
    const whole = [HEAD, endpointTable(byLine), ...sections].join('\n');
    const text = await format(whole, { ...options, parser: 'markdown' });
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(FILE, text);
    expect(readFileSync(FILE, 'utf8')).toBe(text);
  });
});
