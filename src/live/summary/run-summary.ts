import type { PositionReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import { negate, numberFromFixed, textFromFixed } from '../../core/fixed/fixed.js';
import type { RestrictionClass } from '../../risk/restrictions.js';
import type { Engine } from '../../engine/engine.js';
import { feesRow, type ChargedFees, type FeesRow } from '../bot/charged-fees.js';
import type { WouldSend } from '../observe/observe-venue.js';
import type { ExpectationStatus } from '../expectation/expectation-status.js';
import { leftOpenRow, type LeftOpenRow } from './open-exposure-text.js';
import type { StrategyError } from '../../strategy/host/strategy-error.js';
import { strategyErrors } from '../strategies/strategy-failures.js';
import { unprovedOrders, type UnprovedOrder } from './unproved-orders.js';

/** The last line of `sluice run --json`. */
export interface RunSummary {
  readonly orders_placed: number;
  readonly orders_filled: number;
  /** Real ms from the venue's first answer to the first fill; null without one. */
  readonly first_fill_ms: number | null;
  readonly intents: number;
  readonly refused: number;
  readonly refused_by: Readonly<Record<string, number>>;
  /** Entries that left without a stop loss, where R17 warns. */
  readonly entries_without_stop: number;
  /** Strategies that a control stopped (R08, R39): the control, by strategy. */
  readonly stopped_by: Readonly<Record<string, string>>;
  /** By the venue. */
  readonly rejected: number;
  /** Orders that a run which observes did not send; null: the run sends. */
  readonly would_send: number | null;
  readonly dropped: number;
  /** null: the journal was not read. */
  readonly unknown: number | null;
  /** Those orders by name, the longest unproved first. */
  readonly unproved: readonly UnprovedOrder[];
  readonly positions: readonly {
    readonly symbol: string;
    readonly currency: string;
    readonly quantity: string;
    readonly entry_price: string | null;
  }[];
  /** External orders and positions on the account, both currencies: counted, never touched. */
  readonly foreign: {
    readonly orders: number;
    readonly positions: readonly {
      readonly symbol: string;
      readonly currency: string;
      readonly quantity: string;
    }[];
  };
  /** Halted symbols, which only a person may release, with the reason. */
  readonly halted: Readonly<Record<string, string>>;
  /** Restrictions in force, R22 of symbols among them; `symbol` null: the account. */
  readonly restrictions: readonly {
    readonly control: string;
    readonly symbol: string | null;
    readonly mode: string;
    readonly class: RestrictionClass;
    readonly cause: string;
  }[];
  /** Symbols with an unreadable row in a list of the venue, with the reason. */
  readonly unreadable: Readonly<Record<string, string>>;
  readonly equity: string | null;
  /** Of open positions, at the last price; null while a rate or the wallet is unknown. */
  readonly unrealised_pnl: string | null;
  /** Equity minus its first reading of this run: includes fees, funding and transfers. */
  readonly pnl: string | null;
  /** The same without open positions: the change of the wallet by trades, fees, funding and transfers. */
  readonly realised_pnl: string | null;
  /** The closed trades of the state folder beside `expected_run`; null: the configuration names none. */
  readonly expectation: ExpectationStatus | null;
  /** Charged to the account in this run, by currency; null: no exact sum is possible. */
  readonly fees: Readonly<Partial<Record<Currency, FeesRow>>> | null;
  /** Positions of the last poll, with its age; null: there was none. */
  readonly venue_positions:
    readonly { readonly symbol: string; readonly quantity: string }[] | null;
  readonly venue_positions_age_ms: number | null;
  /** Why the venue could not be used at the start; null: it could. */
  readonly venue_down: string | null;
  /** Progress of a flatten, and our open positions and orders; null where none was requested. */
  readonly flatten: ({ readonly end: 'flat' | 'withdrawn' | 'unfinished' } & LeftOpenRow) | null;
  /** Why the stop closed nothing under `on_stop: flatten`; null: it was not refused. */
  readonly flatten_refused: string | null;
  readonly reconciled: boolean;
  /** Whether the venue refused the key when the run ended, and how often a refusal began. */
  readonly key_refused: boolean;
  readonly key_refusals: number;
  readonly mode: string;
  readonly state_dir: string;
  /** Errors of the strategies' own code; the command exits with 1 unless the list is empty. */
  readonly errors: readonly StrategyError[];
}

/** The positions of a poll. */
export interface ReportedPositions {
  readonly positions: readonly PositionReport[];
  readonly ageMs: number;
}

/** Value of the account when a run began, in the wallet's currency. */
export interface EquitySnapshot {
  readonly equity: number;
  readonly unrealised: number;
}

/** undefined until the wallet was read. */
export function equitySnapshot(engine: Engine): EquitySnapshot | undefined {
  const { currency, facts, positions } = engine;
  const equity = facts.equity(currency);
  const hedge = facts.hedgeRate();
  const rate = currency === 'USDT' ? 1 : hedge === undefined ? undefined : numberFromFixed(hedge);
  if (equity === undefined || rate === undefined) return undefined;
  let unrealised = 0;
  for (const position of positions.openPositions()) {
    const last = facts.lastPrice(position.symbol);
    if (position.currency !== currency || last === undefined) continue;
    unrealised += numberFromFixed(positions.unrealised(position.symbol, currency, last));
  }
  return { equity: numberFromFixed(equity), unrealised: unrealised * rate };
}

export interface RunFacts {
  /** Absent: the wallet was never read. */
  readonly startEquity?: EquitySnapshot | undefined;
  readonly reportedPositions?: ReportedPositions | undefined;
  readonly fees?: ChargedFees | undefined;
  /** Of a run that observes. Each of these orders ended as rejected. */
  readonly wouldSend?: WouldSend | undefined;
  readonly expectation?: ExpectationStatus | null;
  readonly flattenRefused?: string | undefined;
}

function profitFields(engine: Engine, { startEquity, reportedPositions, fees }: RunFacts) {
  const now = equitySnapshot(engine);
  const pnl =
    now === undefined || startEquity === undefined ? undefined : now.equity - startEquity.equity;
  const open = (now?.unrealised ?? 0) - (startEquity?.unrealised ?? 0);
  return {
    unrealised_pnl: now === undefined ? null : money(now.unrealised),
    pnl: pnl === undefined ? null : money(pnl),
    realised_pnl: pnl === undefined ? null : money(pnl - open),
    fees: fees === undefined ? null : { [fees.currency]: feesRow(fees) },
    venue_positions:
      reportedPositions?.positions.map(({ symbol, side, quantity }) => ({
        symbol,
        quantity: textFromFixed(side === 'long' ? quantity : negate(quantity)),
      })) ?? null,
    venue_positions_age_ms: reportedPositions?.ageMs ?? null,
    venue_down: null,
  };
}

/** Rounded to a millionth, the precision of a difference of floats. */
const money = (amount: number): string => String(Number(amount.toFixed(6)) + 0);

/** Summary of a run that ended before the venue could be used: the account is unknown. */
export const venueUnavailableSummary = (stateDir: string, cause: string): RunSummary => ({
  orders_placed: 0,
  orders_filled: 0,
  first_fill_ms: null,
  intents: 0,
  refused: 0,
  refused_by: {},
  entries_without_stop: 0,
  stopped_by: {},
  rejected: 0,
  would_send: null,
  expectation: null,
  dropped: 0,
  unknown: null,
  unproved: [],
  positions: [],
  foreign: { orders: 0, positions: [] },
  halted: {},
  restrictions: [],
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
  flatten_refused: null,
  errors: [],
  mode: 'STARTING',
  state_dir: stateDir,
});

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
    entries_without_stop: counts.entriesWithoutStop,
    stopped_by: Object.fromEntries(counts.stoppedBy),
    rejected: counts.rejected - (facts.wouldSend?.orders ?? 0),
    would_send: facts.wouldSend?.orders ?? null,
    expectation: facts.expectation ?? null,
    dropped: counts.dropped,
    unknown: engine.ledger.unprovedCount,
    unproved: unprovedOrders(engine),
    positions: engine.openExposure.positions.map((position) => {
      const entry = engine.positions.entryPrice(position.symbol, position.currency);
      return {
        symbol: position.symbol,
        currency: position.currency,
        quantity: textFromFixed(position.quantity),
        entry_price: entry === undefined ? null : textFromFixed(entry),
      };
    }),
    foreign: externalOf(engine),
    halted: Object.fromEntries(engine.halts.all),
    restrictions: engine.restrictions.map(({ control, symbol, to, class: kind, cause }) => ({
      control,
      symbol: symbol ?? null,
      mode: to,
      class: kind,
      cause,
    })),
    unreadable: Object.fromEntries(engine.unreadable.all),
    equity: equity === undefined ? null : textFromFixed(equity),
    ...profitFields(engine, facts),
    flatten:
      engine.flattenState === undefined
        ? null
        : { end: engine.flattenState, ...leftOpenRow(engine.openExposure.own) },
    flatten_refused: facts.flattenRefused ?? null,
    reconciled: engine.isReconciled,
    key_refused: engine.isKeyRefused,
    key_refusals: counts.keyRefusals,
    mode: engine.mode,
    state_dir: stateDir,
    errors: strategyErrors(engine),
  };
}

/** External shares of positions in our currency, and whole positions in the other. */
function externalOf({ positions, external }: Engine): RunSummary['foreign'] {
  const shares = [...positions.openPositions()].filter((position) => position.external !== 0);
  return {
    orders: external.orders.length,
    positions: [
      ...shares.map(({ symbol, currency, external: quantity }) => ({ symbol, currency, quantity })),
      ...external.positions.map(({ symbol, currency, side, quantity }) => ({
        symbol,
        currency,
        quantity: side === 'long' ? quantity : negate(quantity),
      })),
    ].map((position) => ({ ...position, quantity: textFromFixed(position.quantity) })),
  };
}

/** Current equity, for the curve; undefined until the wallet was read. */
export function currentEquity(engine: Engine): number | undefined {
  const equity = engine.facts.equity(engine.currency);
  return equity === undefined ? undefined : numberFromFixed(equity);
}
