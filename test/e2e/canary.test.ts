import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

/**
 * * A colour, a title, a bell, a carriage return, backspaces, a one-byte cursor movement (C1) and a reversed
 * * writing direction. Any part of it that reaches a terminal unescaped would control it.
 */
const CANARY =
  'canary\u001b[35m\u001b]0;title\u0007\r\b\u009b2J\u202egnp\u2066x\u2069\u200f\u007fend';
/** The visible part of it after escaping. */
const HARMLESS = '\\u202egnp';
const folder = temporaryFolder();
let venue: Server;
let venueUrl: string;

const path = (name: string): string => join(folder.path, name);

/** A venue whose every text is the canary. `GET /sandbox/clock` is a sandbox's, so that trading is allowed. */
function answer(url: string): { readonly status: number; readonly body: unknown } {
  const row = { id: CANARY, contract_pair: CANARY, symbol: CANARY, side: CANARY, status: CANARY };
  if (url.startsWith('/sandbox/clock'))
    return { status: 200, body: { instance_id: CANARY, now_ms: Date.UTC(2025, 4, 5), rate: 1 } };
  if (url.includes('positions')) return { status: 200, body: { success: true, data: [row] } };
  return {
    status: 400,
    body: { success: false, message: CANARY, errors: [{ code: CANARY, text: CANARY }] },
  };
}

beforeAll(async () => {
  venue = createServer((request, response) => {
    const { status, body } = answer(request.url ?? '');
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => venue.listen(0, '127.0.0.1', resolve));
  venueUrl = `http://127.0.0.1:${(venue.address() as AddressInfo).port}`;
  writeFileSync(path('secret'), 'sandbox-secret\n', { mode: 0o600 });
  mkdirSync(path(CANARY));
  writeFileSync(
    path(`${CANARY}/${CANARY}.mjs`),
    strategy(`throw new Error(${JSON.stringify(CANARY)})`),
  );
  writeFileSync(
    path('explains.mjs'),
    strategy(`context.explain(${JSON.stringify(CANARY)}); context.target(1)`),
  );
  writeFileSync(path('loads.mjs'), `throw new Error(${JSON.stringify(CANARY)});`);
  writeFileSync(
    path(`${CANARY}.csv`),
    `open_time,open,high,low,close,volume\n${CANARY},1,1,1,1,1\n`,
  );
  writeFileSync(path('config.yaml'), trading('./explains.mjs'));
  writeFileSync(path(`${CANARY}.yaml`), trading(`"./${yaml(CANARY)}/${yaml(CANARY)}.mjs"`));
  writeFileSync(path('loads.yaml'), trading('./loads.mjs'));
  writeFileSync(
    path('bad.yaml'),
    `mode: "${yaml(CANARY)}"\n"${yaml(CANARY)}": "${yaml(CANARY)}"\n`,
  );
  writeFileSync(path('remote.yaml'), remote());
});
afterAll(() => {
  venue.close();
  venue.closeAllConnections();
  folder.remove();
});

const yaml = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Trades on its third candle; also prints on both streams when it is loaded. */
const strategy = (decide: string): string => `
import { defineStrategy } from 'sluice/strategy';
import { z } from '${join(process.cwd(), 'node_modules/zod/index.js')}';
export default defineStrategy({
  name: 'canary',
  params: z.object({}),
  create() {
    let candles = 0;
    return {
      onCandle(context) {
        candles += 1;
        if (candles === 3) { ${decide} }
      },
    };
  },
});
`;

const trading = (use: string): string => `mode: sandbox
account: canary
venue:
  embedded: { clock: fast:600, seed: 1, start: 2025-05-05T00:00:00Z }
state_dir: ${path('state')}
on_stop: keep
strategies:
  - id: mine
    use: ${use}
    symbols: [BTCUSDT]
    size: { notional: '250' }
risk: { preset: standard, symbols_allow: [BTCUSDT] }
`;

const remote = (): string => `mode: sandbox
account: canary
venue:
  base_url: ${venueUrl}
  ws_url: ${venueUrl.replace('http', 'ws')}
  api_secret_file: ${path('secret')}
state_dir: ${path('remote')}
strategies:
  - id: mine
    use: sma-cross
    symbols: [BTCUSDT]
    size: { notional: '250' }
risk: { preset: standard, symbols_allow: [BTCUSDT] }
`;

/** Every character that could control a terminal, except line feeds, our colours and our progress. */
function steering(output: string, isTerminal: boolean): readonly string[] {
  const own = isTerminal
    ? output.replace(/\u001b\[(?:0|1|2|22|3[1-46]|39|90)m|\r(?:\u001b\[K|\d+ % of)/g, '')
    : output;
  return own.match(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu) ?? [];
}

/** On a terminal and in a pipe: nothing controls it, and the canary was printed. */
async function expectHarmless(args: readonly string[], seen = true): Promise<void> {
  for (const isTerminal of [true, false]) {
    const cliResult = await runSluice(args, { isTerminal });
    const output = cliResult.stdout + cliResult.stderr;
    expect(steering(output, isTerminal), output).toEqual([]);
    if (seen) expect(output).toContain(HARMLESS);
  }
}

describe('text from outside reaches a terminal only escaped', () => {
  it.each([
    [[CANARY]],
    [['run', `--${CANARY}`]],
    [['run', '--config', `/${CANARY}`]],
    [['run', '--config', 'BAD']],
    [['run', '--config', 'BAD', '--json']],
    [['run', '--config', 'LOADS']],
    [['run', '--config', 'config.yaml', '--duration', CANARY]],
    [['sandbox', '--replay', CANARY]],
    [['sandbox', '--clock', CANARY]],
    [['sandbox', '--faults', `/${CANARY}`]],
    [['backtest', '--strategy', 'sma-cross', '--data', 'CSV']],
    [['backtest', '--strategy', 'FILE']],
    [['backtest', '--strategy', 'LOADING']],
    [['backtest', '--strategy', 'sma-cross', '--param', `${CANARY}=1`]],
    [['backtest', '--config', 'BAD']],
    [['replay', `/${CANARY}`]],
    [['why', CANARY, `/${CANARY}`]],
    [['account', 'positions', '--config', 'BAD']],
    [['account', 'leverage', 'set', CANARY, '2', '--config', 'REMOTE']],
    [['order', 'place', 'buy', CANARY, '--quantity', '1', '--config', 'REMOTE']],
    [['order', 'show', CANARY, '--config', 'REMOTE']],
    [['probe', '--base-url', CANARY, '--secret-file', 'SECRET']],
    [['chaos', '--seed', CANARY]],
    [['init', '']],
    [['strategy', 'new', CANARY]],
    [['strategy', 'list', '--dir', 'FOLDER']],
    [['strategy', 'check', 'FILE']],
    [['strategy', 'check', 'FILE', '--json']],
    [['strategy', 'check', `/${CANARY}`]],
    [['dev', 'BAD']],
    [['dev', `/${CANARY}`]],
  ])(
    'the canary in names, arguments and contents of files is escaped: %o',
    async (args) => {
      const files: Readonly<Record<string, string>> = {
        BAD: path('bad.yaml'),
        LOADS: path('loads.yaml'),
        CSV: path(`${CANARY}.csv`),
        FOLDER: path(CANARY),
        SECRET: path('secret'),
        FILE: path(`${CANARY}/${CANARY}.mjs`),
        LOADING: path('loads.mjs'),
        REMOTE: path('remote.yaml'),
        '': path(CANARY),
      };
      await expectHarmless(args.map((snippet) => files[snippet] ?? snippet));
    },
    60_000,
  );

  it.each(['funds', 'orders', 'history', 'fees', 'transactions', 'instruments'])(
    'the canary from the venue is escaped: account %s',
    async (what) => {
      const config = ['--config', path('remote.yaml')];
      await expectHarmless(['account', what, ...config]);
      await expectHarmless(['account', what, '--json', ...config]);
    },
  );

  it.each([
    ['probe', '--config', 'REMOTE'],
    ['order', 'show', 'abc', '--config', 'REMOTE'],
    ['run', '--config', 'REMOTE', '--duration', '1s'],
  ])(
    'the canary from the venue is escaped: %s',
    async (...args) => {
      await expectHarmless(
        args.map((snippet) => (snippet === 'REMOTE' ? path('remote.yaml') : snippet)),
      );
    },
    60_000,
  );

  it('the canary from a strategy is escaped by run, dev, why and replay', async () => {
    const config = path('config.yaml');
    await expectHarmless(['run', '--config', config, '--duration', '4s'], false);
    await expectHarmless(['run', '--config', config, '--duration', '4s', '--json'], false);
    await expectHarmless(['run', '--config', path(`${CANARY}.yaml`), '--duration', '4s']);
    await expectHarmless(['dev', config, '--duration', '4s']);
    await expectHarmless(['dev', config, '--duration', '4s', '--json']);
    const { stdout } = await runSluice(['run', '--config', config, '--duration', '4s', '--json']);
    const { state_dir: state } = JSON.parse(stdout) as { readonly state_dir: string };
    const why = ['why', 'BTCUSDT', '2025-05-05T00:02:00Z', state];
    await expectHarmless(['why', 'candle:BTCUSDT:1m:', state], false);
    await expectHarmless(why, false);
    await expectHarmless([...why, '--json'], false);
    await expectHarmless(['replay', state], false);
  }, 120_000);
});
