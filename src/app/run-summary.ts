import type { PositionReport } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import { negate, numberFromFixed, textFromFixed } from '../core/fixed.js';
import { oneLine } from '../core/terminal-text.js';
import type { Engine } from '../engine/engine.js';
import { feesRow, type ChargedFees, type FeesRow } from './charged-fees.js';
import { FLATTEN_GOES_ON, leftOpenLines, leftOpenRow, type LeftOpenRow } from './left-open.js';
import { orphanText } from './plan/difference.js';
import { sparkline } from '../report/sparkline.js';
import { summaryTable } from '../report/summary-table.js';
import type { StrategyError } from '../strategy/host/strategy-error.js';
import { refusalLines } from './refusal-lines.js';
import { strategyErrors, strategyFailureLines } from './strategy-failures.js';
import { unprovedAdvice, unprovedOrders, type UnprovedOrder } from './unproved-orders.js';

/** The last line of `sluice run --json` (design part 8). */
export interface RunSummary {
  readonly orders_placed: number;
  readonly orders_filled: number;
  /** Real ms from the venue being there to the first fill that was seen; null without one. */
  readonly first_fill_ms: number | null;
  readonly intents: number;
  readonly refused: number;
  readonly refused_by: Readonly<Record<string, number>>;
  readonly rejected: number;
  readonly dropped: number;
  /** null: the journal was not read. */
  readonly unknown: number | null;
  /** Those orders by name, oldest doubt first. */
  readonly unproved: readonly UnprovedOrder[];
  readonly positions: readonly {
    readonly symbol: string;
    readonly currency: string;
    readonly quantity: string;
    readonly entry_price: string | null;
  }[];
  /** What others hold and want on the account, both currencies: counted, never touched. */
  readonly foreign: {
    readonly orders: number;
    readonly positions: readonly {
      readonly symbol: string;
      readonly currency: string;
      readonly quantity: string;
    }[];
  };
  /** Symbols that only a person may let trade again, with why. */
  readonly halted: Readonly<Record<string, string>>;
  /** Symbols of which a list of the venue shows a row that does not read, with why. */
  readonly unreadable: Readonly<Record<string, string>>;
  readonly equity: string | null;
  /** Of open positions, at the last price; null while a rate or the wallet is not known. */
  readonly unrealised_pnl: string | null;
  /** Equity against its first reading of this run: fees, funding and transfers are in it. */
  readonly pnl: string | null;
  /** The same without what is open: what trades, fees, funding and transfers did to the wallet. */
  readonly realised_pnl: string | null;
  /** Charged to the account in this run, by currency; null: it cannot be told exactly. */
  readonly fees: Readonly<Partial<Record<Currency, FeesRow>>> | null;
  /** The positions of the last poll, with its age; null: there was none. */
  readonly venue_positions:
    readonly { readonly symbol: string; readonly quantity: string }[] | null;
  readonly venue_positions_age_ms: number | null;
  /** Why the venue could not be used at the start; null: it could. */
  readonly venue_down: string | null;
  /** How far a flatten came, and what is open of ours; null where none was wanted. */
  readonly flatten: ({ readonly end: 'flat' | 'withdrawn' | 'unfinished' } & LeftOpenRow) | null;
  readonly reconciled: boolean;
  /** Whether the venue refused the key when it ended, and how often it began to. */
  readonly key_refused: boolean;
  readonly key_refusals: number;
  readonly mode: string;
  readonly state_dir: string;
  /** The errors of the strategies' own code; the command ends with 1 unless the list is empty. */
  readonly errors: readonly StrategyError[];
}

/** The positions of a poll. */
export interface ToldPositions {
  readonly positions: readonly PositionReport[];
  readonly ageMs: number;
}

/** The worth of the account when a run began, in the wallet's currency. */
export interface Worth {
  readonly equity: number;
  readonly unrealised: number;
}

/** undefined until the wallet was read. */
export function worthNow(engine: Engine): Worth | undefined {
  const { currency, facts, positions } = engine;
  const equity = facts.equity(currency);
  const hedge = facts.hedgeRate();
  const rate = currency === 'USDT' ? 1 : hedge === undefined ? undefined : numberFromFixed(hedge);
  if (equity === undefined || rate === undefined) return undefined;
  let unrealised = 0;
  for (const position of positions.open()) {
    const last = facts.lastPrice(position.symbol);
    if (position.currency !== currency || last === undefined) continue;
    unrealised += numberFromFixed(positions.unrealised(position.symbol, currency, last));
  }
  return { equity: numberFromFixed(equity), unrealised: unrealised * rate };
}

export interface RunFacts {
  /** Absent: the wallet was never read. */
  readonly begun?: Worth | undefined;
  readonly told?: ToldPositions | undefined;
  readonly fees?: ChargedFees | undefined;
}

function resultOf(engine: Engine, { begun, told, fees }: RunFacts) {
  const now = worthNow(engine);
  const pnl = now === undefined || begun === undefined ? undefined : now.equity - begun.equity;
  const open = (now?.unrealised ?? 0) - (begun?.unrealised ?? 0);
  return {
    unrealised_pnl: now === undefined ? null : money(now.unrealised),
    pnl: pnl === undefined ? null : money(pnl),
    realised_pnl: pnl === undefined ? null : money(pnl - open),
    fees: fees === undefined ? null : { [fees.currency]: feesRow(fees) },
    venue_positions:
      told?.positions.map(({ symbol, side, quantity }) => ({
        symbol,
        quantity: textFromFixed(side === 'long' ? quantity : negate(quantity)),
      })) ?? null,
    venue_positions_age_ms: told?.ageMs ?? null,
    venue_down: null,
  };
}

/** To a millionth: a difference of floats has no more to say. */
const money = (amount: number): string => String(Number(amount.toFixed(6)) + 0);

/** Of a run that ended before the venue could be used: nothing is known of the account. */
export const unbegunSummary = (stateDir: string, cause: string): RunSummary => ({
  orders_placed: 0,
  orders_filled: 0,
  first_fill_ms: null,
  intents: 0,
  refused: 0,
  refused_by: {},
  rejected: 0,
  dropped: 0,
  unknown: null,
  unproved: [],
  positions: [],
  foreign: { orders: 0, positions: [] },
  halted: {},
  unreadable: {},
  equity: null,
  unrealised_pnl: null,
  pnl: null,
  realised_pnl: null,
  fees: null,
  venue_positions: null,
  venue_positions_age_ms: null,
  venue_down: cause,
  reconciled: false,
  key_refused: false,
  key_refusals: 0,
  flatten: null,
  errors: [],
  mode: 'STARTING',
  state_dir: stateDir,
});

/** The same for a person. */
export const unbegunText = (stateDir: string, colour: boolean): string =>
  `${summaryTable(
    { Unknown: null, Positions: null, Equity: null, Reconciled: false, State: stateDir },
    { colour, title: 'Run: the venue could not be used' },
  )}\n`;

export function summarise(
  engine: Engine,
  startedAt: number,
  stateDir: string,
  facts: RunFacts = {},
): RunSummary {
  const { counts, currency } = engine;
  const equity = engine.facts.equity(currency);
  const first = counts.firstFillAt;
  return {
    orders_placed: counts.ordersPlaced,
    orders_filled: counts.ordersFilled,
    first_fill_ms: first === undefined ? null : Math.round(first - startedAt),
    intents: counts.intents,
    refused: counts.refused,
    refused_by: Object.fromEntries([...counts.refusedBy].map(([key, { count }]) => [key, count])),
    rejected: counts.rejected,
    dropped: counts.dropped,
    unknown: engine.ledger.unproved,
    unproved: unprovedOrders(engine),
    positions: [...engine.positions.open()].map((position) => {
      const entry = engine.positions.entryPrice(position.symbol, position.currency);
      return {
        symbol: position.symbol,
        currency: position.currency,
        quantity: textFromFixed(position.quantity),
        entry_price: entry === undefined ? null : textFromFixed(entry),
      };
    }),
    foreign: foreignOf(engine),
    halted: Object.fromEntries(engine.halts.all),
    unreadable: Object.fromEntries(engine.unreadable.all),
    equity: equity === undefined ? null : textFromFixed(equity),
    ...resultOf(engine, facts),
    flatten:
      engine.flattenState === undefined
        ? null
        : { end: engine.flattenState, ...leftOpenRow(engine.leftOpen) },
    reconciled: engine.reconciled,
    key_refused: engine.accessRefused,
    key_refusals: counts.keyRefusals,
    mode: engine.mode,
    state_dir: stateDir,
    errors: strategyErrors(engine),
  };
}

/** Shares of positions in our own currency, and whole positions in the other. */
function foreignOf({ positions, foreign }: Engine): RunSummary['foreign'] {
  const shares = [...positions.open()].filter((position) => position.foreign !== 0);
  return {
    orders: foreign.orders.length,
    positions: [
      ...shares.map(({ symbol, currency, foreign: quantity }) => ({ symbol, currency, quantity })),
      ...foreign.positions.map(({ symbol, currency, side, quantity }) => ({
        symbol,
        currency,
        quantity: side === 'long' ? quantity : negate(quantity),
      })),
    ].map((position) => ({ ...position, quantity: textFromFixed(position.quantity) })),
  };
}

const SPARKLINE_WIDTH = 48;

/** The same for a person, with the equity curve and a sentence for what did not happen. */
export function summaryText(
  summary: RunSummary,
  engine: Engine,
  options: { readonly equity: readonly number[]; readonly colour: boolean },
): string {
  const { currency } = engine;
  const table = summaryTable(
    {
      'Orders placed': summary.orders_placed,
      'Orders filled': summary.orders_filled,
      'First fill': summary.first_fill_ms === null ? null : `${summary.first_fill_ms} ms`,
      Intents: summary.intents,
      Refused: summary.refused,
      Rejected: summary.rejected,
      'Never sent': summary.dropped,
      Unknown: summary.unknown,
      Positions: summary.positions.map(positionText).join(', ') || 'none',
      'At the venue': toldText(summary),
      Equity: equityText(summary.equity, currency),
      'PnL after fees': equityText(summary.pnl, currency),
      Realised: equityText(summary.realised_pnl, currency),
      Fees: feesText(summary.fees),
      Unrealised: equityText(summary.unrealised_pnl, currency),
      Reconciled: summary.reconciled,
      State: summary.state_dir,
    },
    { colour: options.colour, title: 'Run' },
  );
  const curve =
    options.equity.length === 0
      ? ''
      : `equity ${sparkline(options.equity, { width: SPARKLINE_WIDTH })}\n`;
  const failures = [...strategyFailureLines(engine), ...refusalLines(engine.counts)].map(
    (line) => `${line}\n`,
  );
  return `${failures.join('')}${table}\n${curve}${explanations(summary, engine)}`;
}

/** With its age: what the venue said may be older than what we believe. */
function toldText({
  venue_positions: told,
  venue_positions_age_ms: age,
}: RunSummary): string | null {
  if (told === null || age === null) return null;
  const held = told.map(({ symbol, quantity }) => `${quantity} ${symbol}`).join(', ') || 'none';
  return `${held}, ${(age / 1_000).toFixed(1)} s ago`;
}

/** `0.118 USDT (trading 0.118, funding 0, rebates 0)`. */
function feesText(fees: RunSummary['fees']): string | null {
  if (fees === null) return null;
  return Object.entries(fees)
    .map(([currency, { total, trading, funding, rebates }]) => {
      return `${total} ${currency} (trading ${trading}, funding ${funding}, rebates ${rebates})`;
    })
    .join(', ');
}

const positionText = (
  position: Pick<RunSummary['positions'][number], 'quantity' | 'symbol'>,
): string => `${position.quantity} ${position.symbol}`;

const equityText = (equity: string | null, currency: string): string | null =>
  equity === null ? null : `${Number(equity).toFixed(2)} ${currency}`;

export const NOT_RECONCILED =
  'the account was not proved equal to our books before the run ended; start again to reconcile';

/** "Nothing happened" explains itself. */
function explanations(summary: RunSummary, engine: Engine): string {
  const lines: string[] = [];
  if (summary.intents === 0 && summary.errors.length === 0) {
    lines.push('no strategy wanted a trade: no signal came within the run');
  }
  lines.push(...orphanLines(engine), ...foreignLines(summary), ...unreadableLines(summary));
  if (engine.flattenState === 'unfinished')
    lines.push(FLATTEN_GOES_ON, ...leftOpenLines(engine.leftOpen));
  if (summary.unknown !== null && summary.unknown > 0) {
    lines.push(
      `${summary.unknown} orders have no proved outcome; the next start with this state_dir looks for them first`,
    );
  }
  lines.push(...summary.unproved.map(unprovedAdvice));
  if (summary.key_refused) {
    lines.push('the venue refused the key when the run ended: start again with one that is valid');
  } else if (summary.key_refusals > 0) {
    lines.push(
      `the venue refused the key ${summary.key_refusals} times for a while; nothing was placed meanwhile`,
    );
  }
  if (!summary.reconciled) {
    lines.push(NOT_RECONCILED);
  }
  return lines.map((line) => `${oneLine(line)}\n`).join('');
}

/** Positions of ours that nothing configured trades. */
function orphanLines({ positions, hosts, currency }: Engine): readonly string[] {
  const traded = new Set(hosts.flatMap(({ symbols }) => symbols));
  return [...positions.open()]
    .filter((position) => position.currency === currency && !traded.has(position.symbol))
    .map(({ symbol }) => ({ symbol, quantity: positions.own(symbol, currency) }))
    .filter(({ quantity }) => quantity !== 0)
    .map(orphanText);
}

const unreadableLines = ({ unreadable }: RunSummary): readonly string[] =>
  Object.entries(unreadable).map(([symbol, cause]) => `${symbol} is unknown: ${cause}`);

function foreignLines({ foreign, halted }: RunSummary): readonly string[] {
  const lines = Object.entries(halted).map(
    ([symbol, cause]) => `${symbol} is halted, start with --adopt ${symbol} to go on: ${cause}`,
  );
  const held = foreign.positions.map(
    ({ symbol, currency, quantity }) => `${quantity} ${symbol} in ${currency}`,
  );
  if (held.length > 0) lines.push(`not ours, and left alone: ${held.join(', ')}`);
  if (foreign.orders > 0) lines.push(`${foreign.orders} open orders are not ours`);
  return lines;
}

/** What the equity is now, for the curve; undefined until the wallet was read. */
export function equityNow(engine: Engine): number | undefined {
  const equity = engine.facts.equity(engine.currency);
  return equity === undefined ? undefined : numberFromFixed(equity);
}
