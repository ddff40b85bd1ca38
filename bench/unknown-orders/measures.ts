import { fileURLToPath } from 'node:url';
import type { JournalRecord } from '../../src/execution/journal/journal-record.js';
import { BotWorld, type FaultSpec } from '../../test/support/rigs/bot-world.js';
import { EIGHT_SYMBOLS } from '../../test/support/builders/eight-symbols.js';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
/** This file's own kind: the sources, or what was made of them. */
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const PLACE = 'POST /fapi/v2/futures/order';

/** Answers that leave open whether there is an order, on one place in three. */
const UNCLEAR: readonly FaultSpec[] = [
  { on: PLACE, fault: 'resp_lost', probability: 0.1 },
  { on: PLACE, fault: 'req_lost', probability: 0.1 },
  { on: PLACE, fault: '500_after', probability: 0.06 },
  { on: PLACE, fault: '500_before', probability: 0.06 },
];

interface StrategyOf {
  readonly use: string;
  readonly symbols: readonly string[];
  readonly params: string;
}

const configOf = ({ use, symbols, params }: StrategyOf): string => `
mode: sandbox
account: demo
venue: { base_url: 'http://127.0.0.1:8787', ws_url: 'ws://127.0.0.1:8787' }
state_dir: /state
strategies:
${symbols
  .map(
    (symbol) => `  - id: one-${symbol.toLowerCase()}
    use: '${use}'
    symbols: [${symbol}]
    leverage: 2
    size: { notional: '100' }
    protect: { stop_loss_pct: 2 }
    params: ${params}`,
  )
  .join('\n')}
risk:
  preset: standard
  symbols_allow: [${symbols.join(', ')}]
  max_open_orders: { symbol: 5, account: 40 }
`;

/** Virtual ms from each unclear answer, the last of its order, to the record that proves the order. */
export async function timesToProof(seed: number, minutes: number): Promise<readonly number[]> {
  const world = new BotWorld({
    config: configOf({
      use: here(`../../test/longrun/proofs/kill9/busy-trader.${EXTENSION}`),
      symbols: EIGHT_SYMBOLS.slice(0, 6),
      params: '{}',
    }),
    sandbox: { clock: { kind: 'real' } },
    faults: UNCLEAR,
    seed,
  });
  const bot = await world.start();
  await world.time.run(minutes * 60_000);
  const records = await world.journal();
  await world.setFaults([]);
  await world.stop(bot);
  return proofsIn(records);
}

function proofsIn(records: readonly JournalRecord[]): readonly number[] {
  const unclear = new Map<string, number>();
  const times: number[] = [];
  for (const record of records) {
    if (record.type === 'outcome' && record.outcome === 'unknown' && record.sent !== false) {
      unclear.set(record.clientOrderId, record.venueTime);
    } else if (isProof(record)) {
      const since = unclear.get(record.clientOrderId);
      unclear.delete(record.clientOrderId);
      if (since !== undefined) times.push(record.venueTime - since);
    }
  }
  return times;
}

const isProof = (
  record: JournalRecord,
): record is Extract<JournalRecord, { type: 'update' | 'burned' | 'dropped' | 'outcome' }> =>
  record.type === 'update' ||
  record.type === 'burned' ||
  record.type === 'dropped' ||
  (record.type === 'outcome' && record.outcome === 'yes');

export interface Sweep {
  readonly orders: number;
  /** Virtual ms from the kill switch to the last cancel that left. */
  readonly lastCancelMs: number;
  readonly cancels: number;
  /** Orders still open at the venue a minute later. */
  readonly left: number;
}

/** Throws the kill switch on 40 resting orders while one reply in five is a 429 or a 500. */
export async function sweep(seed: number): Promise<Sweep> {
  const world = new BotWorld({
    config: configOf({
      use: here(`ladder.${EXTENSION}`),
      symbols: EIGHT_SYMBOLS,
      params: '{ rungs: 5 }',
    }),
    sandbox: { clock: { kind: 'real' } },
    seed,
  });
  const bot = await world.start();
  await world.time.until(() => openOrders(world) === 40, 900_000);
  // The orders' own requests are no part of the sweep.
  await world.time.run(30_000);
  await world.setFaults([
    { on: '*', fault: '429', probability: 0.1 },
    { on: '*', fault: '500_before', probability: 0.05 },
    { on: '*', fault: '500_after', probability: 0.05 },
  ]);
  const orders = openOrders(world);
  const from = world.time.utcMs();
  bot.command({ kind: 'kill', level: 'cancel', reason: 'bench' });
  await world.time.run(60_000);
  const cancels = (await requests(world)).filter(({ method }) => method === 'DELETE');
  const last = Math.max(...cancels.map(({ venue_ms: at }) => at));
  const left = openOrders(world);
  await world.setFaults([]);
  await world.stop(bot);
  return { orders, lastCancelMs: last - from, cancels: cancels.length, left };
}

const openOrders = (world: BotWorld): number =>
  world.ownOrders().filter(({ endedAt }) => endedAt === undefined).length;

interface Request {
  readonly method: string;
  readonly venue_ms: number;
}

async function requests(world: BotWorld): Promise<readonly Request[]> {
  const reply = await world.time.resolve(
    world.sandbox.handle({
      method: 'GET',
      path: '/sandbox/requests',
      query: '',
      headers: {},
      body: '',
    }),
  );
  if (reply === 'reset') throw new Error('the sandbox does not answer');
  const { requests: rows } = JSON.parse(String(reply.body)) as { requests: readonly Request[] };
  return rows;
}
