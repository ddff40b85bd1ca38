import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeFiles } from '../../src/io/node/node-files.js';
import { decodeJournalRecord } from '../../src/execution/journal/journal-record.js';
import { openFramedLog } from '../../src/io/log/framed-log.js';
import { resolveBehavior } from '../../src/sandbox/behavior/behavior-choices.js';
import type { SandboxOptions } from '../../src/sandbox/sandbox.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { serveSandbox, type ServedSandbox } from '../support/rigs/served-sandbox.js';

const folder = temporaryFolder();
const FAST: SandboxOptions = { clock: { kind: 'fast', factor: 60 }, limits: false };
let served: ServedSandbox;
beforeAll(async () => {
  served = await serveSandbox(FAST);
});
afterAll(async () => {
  await served.close();
  folder.remove();
});

interface Summary {
  readonly orders_filled: number;
  readonly refused_by: Readonly<Record<string, number>>;
  readonly reconciled: boolean;
  readonly unknown: number;
  readonly positions: readonly { readonly symbol: string; readonly quantity: string }[];
  readonly state_dir: string;
}

/** The demo's strategies on a served sandbox, without a key. */
function paperDemo(name: string, at: ServedSandbox, edit = (text: string) => text): string {
  const path = join(folder.path, `${name}.yaml`);
  const venue = [
    `base_url: ${at.server.baseUrl}`,
    `ws_url: ${at.server.wsUrl}`,
    `instruments_file: ${resolve('config/instruments/standard.yaml')}`,
  ].join('\n  ');
  const text = readFileSync('config/demo.yaml', 'utf8')
    .replace('mode: sandbox', 'mode: paper')
    .replace(/embedded: .*/, venue)
    .replace('.sluice/demo', join(folder.path, name))
    .replace('cancel-entries', 'keep');
  writeFileSync(path, edit(text));
  return path;
}

async function run(config: string, duration = '9s') {
  const cliResult = await runSluice(['run', config, '--duration', duration, '--json']);
  const line = cliResult.stdout.trim().split('\n').at(-1) ?? '';
  return { ...cliResult, summary: line === '' ? undefined : (JSON.parse(line) as Summary) };
}

/** Client order id of the first order in a journal. */
async function firstOrder(stateDir: string): Promise<string> {
  const log = await openFramedLog(nodeFiles, stateDir, 'journal');
  const records = log.read().map(decodeJournalRecord);
  await log.close();
  const intent = records.find((record) => record.type === 'intent');
  return intent?.clientOrderId ?? 'none';
}

const requestedPaths = ({ sandbox }: ServedSandbox): Promise<readonly string[]> =>
  sandbox
    .handle({ method: 'GET', path: '/sandbox/requests', query: '', headers: {}, body: '' })
    .then((reply) => {
      if (reply === 'reset') throw new Error('the control path answers');
      const { requests } = JSON.parse(String(reply.body)) as {
        requests: { method: string; path: string }[];
      };
      return [...new Set(requests.map(({ method, path }) => `${method} ${path}`))];
    });

describe('sluice run in mode: paper', () => {
  it('a paper run fills, reconciles, replays, and continues with the same positions', async () => {
    const config = paperDemo('twice', served);
    const first = await run(config);
    expect(first.stderr).not.toContain('error');
    expect(first.exitCode).toBe(0);
    expect(first.summary).toMatchObject({ reconciled: true, unknown: 0 });
    expect(first.summary?.orders_filled).toBeGreaterThan(0);
    expect(served.sandbox.exchange.allOrders()).toEqual([]);

    const second = await run(config, '1s');
    expect(second.exitCode).toBe(0);
    const replayed = await runSluice(['replay', first.summary?.state_dir ?? '', '--json']);
    expect(JSON.parse(replayed.stdout)).toMatchObject({ identical: true });
    const log = await openFramedLog(nodeFiles, first.summary?.state_dir ?? '', 'paper');
    expect(log.opening.dropped).toBeUndefined();
    await log.close();
  });

  it('a paper run requests only market data, and instruments when it has a key', async () => {
    const secret = join(folder.path, 'secret');
    writeFileSync(secret, 'sandbox-secret\n', { mode: 0o600 });
    const config = paperDemo('keyed', served, (text) =>
      text.replace(/instruments_file: .*/, `api_secret_file: ${secret}`),
    );
    const { exitCode, summary } = await run(config, '3s');
    expect(exitCode).toBe(0);
    expect(summary?.reconciled).toBe(true);
    const paths = await requestedPaths(served);
    const allowed =
      /^GET (\/sandbox\/clock|\/sandbox\/requests|\/fapi\/v1\/price\/.*|\/fapi\/v1\/futures(\/[A-Z]+USDT)?)$/;
    expect(paths.filter((path) => !allowed.test(path))).toEqual([]);
    expect(paths).toContain('GET /fapi/v1/futures');
  });

  it('the books of a paper run are those of its journal, also with a key of the venue', async () => {
    const secret = join(folder.path, 'secret');
    writeFileSync(secret, 'sandbox-secret\n', { mode: 0o600 });
    const config = paperDemo('booked', served, (text) =>
      text.replace(/instruments_file: .*/, `api_secret_file: ${secret}`),
    );
    expect((await run(config)).summary?.orders_filled).toBeGreaterThan(0);
    const [pnl, ledger, status, archive] = await Promise.all([
      runSluice(['pnl', '--config', config, '--json']),
      runSluice(['export', 'ledger', '--config', config, '--json']),
      runSluice(['status', '--profit', '--config', config, '--json']),
      runSluice(['export', 'ledger', '--config', config, '--archive']),
    ]);
    const [booked, rows, report] = [pnl, ledger, status].map(
      ({ stdout }) => JSON.parse(stdout) as Record<string, unknown>,
    );
    expect([pnl.exitCode, ledger.exitCode, status.exitCode, archive.exitCode]).toEqual([
      0, 0, 0, 2,
    ]);
    expect([booked?.['source'], rows?.['source']]).toEqual(['journal', 'journal']);
    expect(booked?.['problems']).toContainEqual(expect.stringContaining('mode: paper'));
    expect(report?.['profit_source']).toMatchObject({ from: 'journal', error: null });
    expect(archive.stderr).toContain('mode: paper');
  });

  it('a paper run trades on a venue with the field quirks', async () => {
    const field = await serveSandbox({ ...resolveBehavior({ quirks: 'field' }), ...FAST });
    const { exitCode, summary, stderr } = await run(paperDemo('field', field));
    await field.close();
    expect(exitCode, stderr).toBe(0);
    expect(summary?.reconciled).toBe(true);
    expect(summary?.orders_filled).toBeGreaterThan(0);
  });

  it.each([
    ['as it stands', (text: string) => text, undefined],
    [
      'with the size capped, where the limits are the default ones',
      (text: string) => text.replace(/ {2}max_.*\n/g, ''),
      /size [\d.]+ BTCUSDT is capped to [\d.]+ by risk\.max_order_notional_usdt 500 USDT/,
    ],
  ])('config/paper.yaml trades %s', async (name, edit, capped) => {
    const faster = await serveSandbox({ clock: { kind: 'fast', factor: 600 }, limits: false });
    const config = join(folder.path, `${name.slice(0, 2)}.yaml`);
    const text = readFileSync('config/paper.yaml', 'utf8')
      .replace('http://127.0.0.1:8787', faster.server.baseUrl)
      .replace('ws://127.0.0.1:8787', faster.server.wsUrl)
      .replace('instruments/standard.yaml', resolve('config/instruments/standard.yaml'))
      .replace('.sluice/paper', join(folder.path, name.slice(0, 2)));
    writeFileSync(config, edit(text));
    const { summary, stderr } = await run(config, '12s');
    await faster.close();
    expect(summary?.orders_filled, stderr).toBeGreaterThan(0);
    expect(summary?.refused_by, stderr).not.toHaveProperty('R01');
    if (capped === undefined) expect(stderr).not.toMatch(/capped/);
    else expect(stderr).toMatch(capped);
    const state = summary?.state_dir ?? '';
    if (capped !== undefined) {
      const why = await runSluice(['why', await firstOrder(state), state]);
      expect(why.stdout).toMatch(capped);
    }
    const replayed = await runSluice(['replay', state]);
    expect(replayed.exitCode, replayed.stdout).toBe(0);
  });

  it('a missing instruments file is named', async () => {
    const config = paperDemo('bare', served, (text) => text.replace(/instruments_file: .*/, ''));
    const { exitCode, stderr } = await run(config);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/venue has neither instruments_file nor api_secret_file/);
  });

  it('a damaged account is refused with the remedy', async () => {
    const config = paperDemo('damaged', served);
    const { summary } = await run(config, '2s');
    const path = `${summary?.state_dir ?? ''}/paper.log`;
    const bytes = readFileSync(path);
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const again = await run(config, '2s');
    expect(again.exitCode).toBe(4);
    expect(again.stderr).toMatch(/paper\.log is damaged.*Restore the whole state folder/);
  });

  it('other terms for an existing account are refused', async () => {
    const config = paperDemo('terms', served);
    await run(config, '2s');
    writeFileSync(config, `${readFileSync(config, 'utf8')}paper: { taker_fee: '0.001' }\n`);
    const again = await run(config, '2s');
    expect(again.exitCode).toBe(4);
    expect(again.stderr).toMatch(/was opened under other terms \(paper\.taker_fee\)/);
  });
});
