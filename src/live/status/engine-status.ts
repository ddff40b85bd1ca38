import type { PositionReport } from '../../core/account.js';
import { negate, textFromFixed } from '../../core/fixed/fixed.js';
import type { Engine } from '../../engine/engine.js';
import type { SluiceConfig } from '../../config/config.js';
import type { KillSetting } from '../state/kill-file.js';
import { killFileIn } from '../state/kill-file.js';
import { unprovedOrders } from '../summary/unproved-orders.js';
import type { CandleTimes } from './candle-times.js';
import { entryPauses } from './entry-pauses.js';
import { limitStatuses } from './limits/limit-status.js';
import { journaledPosition } from './journaled-position.js';
import { orderStatus, textOrNull } from './order-status.js';
import { unrealisedUsdt } from './strategy-profit.js';
import { strategyErrorText } from '../../strategy/host/strategy-error.js';
import { strategyState } from './strategy-state.js';
import { accountCauses, restrictionStatus, symbolStatuses } from './restriction-status.js';
import type {
  DataAges,
  FlattenStatus,
  KillStatus,
  PositionStatus,
  StatusReport,
  StrategyStatus,
} from './status-report.js';

export interface EngineStatusInputs {
  readonly engine: Engine;
  readonly config: SluiceConfig;
  readonly stateDir: string;
  readonly pid: number;
  readonly kill: KillSetting | undefined;
  readonly candleTimes: CandleTimes;
  /** Rows of the last poll in the engine's currency; undefined: there was none. */
  readonly venuePositions: readonly PositionReport[] | undefined;
  /** Real ms of this process, now. */
  readonly monotonic: number;
  /** ms UTC at the venue, now. */
  readonly venueTime: number;
}

/** The status of a running daemon. Reads the engine and changes nothing. */
export function engineStatus(inputs: EngineStatusInputs): StatusReport {
  const { engine, config, stateDir, pid } = inputs;
  const { currency, facts } = engine;
  const symbols = [...new Set(config.strategies.flatMap((strategy) => strategy.symbols))];
  const equity = facts.equity(currency);
  const limitsInForce = limitInputs(inputs, symbols);
  return {
    running: true,
    pid,
    account: config.account,
    run_mode: config.mode,
    state_dir: stateDir,
    mode: engine.mode,
    causes: [...causesOf(engine), ...entryPauses(limitsInForce)],
    symbols: symbolModes(engine),
    restrictions: engine.restrictions.map(restrictionStatus),
    kill: killStatus(inputs),
    flatten: flattenStatus(engine),
    positions:
      engine.openExposure.unconfirmed?.map(journaledPosition) ??
      [...engine.positions.openPositions()].map((position) => positionStatus(position, inputs)),
    orders: [...engine.ledger.allOpenOrders()].map(orderStatus),
    unknown: engine.ledger.unprovedCount,
    unproved: unprovedOrders(engine),
    reconciled: engine.isReconciled,
    key_refused: engine.isKeyRefused,
    currency,
    equity: textOrNull(equity),
    venue_time: new Date(inputs.venueTime).toISOString(),
    ages_ms: agesOf(inputs, symbols),
    strategies: strategyStatuses(inputs),
    profit: null,
    profit_source: null,
    expectation: null,
    limits: limitStatuses(limitsInForce),
    tightened: engine.tightenedLimits,
    pending_commands: [],
  };
}

const limitInputs = ({ engine, config }: EngineStatusInputs, symbols: readonly string[]) => ({
  symbols,
  strategies: engine.hosts,
  currency: engine.currency,
  facts: engine.facts,
  counts: engine.controlCounts,
  preset: config.riskSettings.preset,
  limits: engine.limits,
  mode: engine.mode,
  killLevel: engine.killLevel,
  restrictions: engine.restrictions,
});

function causesOf(engine: Engine): readonly string[] {
  const { haltReason, killLevel, isKeyRefused, mode, missingStartFact } = engine;
  return [
    ...(haltReason === undefined ? [] : [haltReason]),
    ...(killLevel === undefined ? [] : [`the kill switch is on (${killLevel})`]),
    ...accountCauses(engine.restrictions),
    ...(isKeyRefused ? ['the venue refuses the key'] : []),
    ...(missingStartFact === undefined ? [] : [`the strategies wait: ${missingStartFact}`]),
    ...(missingStartFact === undefined && (mode === 'STARTING' || mode === 'RECONCILING')
      ? ['the account is being reconciled with the venue']
      : []),
  ];
}

function symbolModes({ restrictions, unreadable }: Engine): StatusReport['symbols'] {
  const reduceOnly = ([symbol, cause]: readonly [string, string]) =>
    [symbol, { mode: 'REDUCE_ONLY', cause }] as const;
  const unreadableSymbols = Object.fromEntries([...unreadable.all].map(reduceOnly));
  return { ...unreadableSymbols, ...symbolStatuses(restrictions) };
}

/** The engine's level is the one in force; the file has the end of a pause. */
function killStatus({ engine, kill, stateDir }: EngineStatusInputs): KillStatus | null {
  const level = engine.killLevel ?? kill?.level;
  if (level === undefined) return null;
  const until = kill?.until;
  return {
    level,
    until: until === undefined ? null : new Date(until).toISOString(),
    file: killFileIn(stateDir),
  };
}

/** One that has ended counts as long as its level stands: afterwards the bot may open positions again. */
function flattenStatus({
  flattenState: end,
  killLevel,
  openExposure,
}: Engine): FlattenStatus | null {
  if (end === undefined || (end !== 'unfinished' && killLevel !== 'flatten')) return null;
  const { positions, orders } = openExposure.own;
  return { end, positions: positions.length, orders: orders.length };
}

type OpenPosition = Engine['positions'] extends { openPositions(): Iterable<infer P> } ? P : never;

function positionStatus(
  { symbol, currency, quantity }: OpenPosition,
  { engine, venuePositions }: EngineStatusInputs,
): PositionStatus {
  const { positions, facts } = engine;
  const last = facts.lastPrice(symbol);
  const row = venuePositions?.find((each) => each.symbol === symbol && each.currency === currency);
  const { stopLoss, takeProfit } = row ?? {};
  return {
    symbol,
    currency,
    quantity: textFromFixed(quantity),
    own: textFromFixed(positions.ownQuantity(symbol, currency)),
    venue: venueQuantity(row, venuePositions !== undefined && currency === engine.currency),
    entry_price: textOrNull(positions.entryPrice(symbol, currency)),
    last_price: textOrNull(last),
    unrealised_pnl:
      last === undefined ? null : textFromFixed(positions.unrealised(symbol, currency, last)),
    stop_loss: textOrNull(stopLoss?.price),
    take_profit: textOrNull(takeProfit?.price),
  };
}

function venueQuantity(row: PositionReport | undefined, isListed: boolean): string | null {
  if (row !== undefined)
    return textFromFixed(row.side === 'long' ? row.quantity : negate(row.quantity));
  return isListed ? '0' : null;
}

function agesOf(
  { engine: { facts, currency }, monotonic }: EngineStatusInputs,
  symbols: readonly string[],
): DataAges {
  const age = (at: number | undefined): number | null =>
    at === undefined ? null : Math.max(0, Math.round(monotonic - at));
  const prices = symbols.map((symbol) => [symbol, age(facts.lastPriceAt(symbol))] as const);
  const known = prices.flatMap(([, each]) => (each === null ? [] : [each]));
  return {
    positions: age(facts.positionsAt(currency)),
    orders: age(facts.ordersAt(currency)),
    wallet: age(facts.walletAt(currency)),
    feed: known.length === 0 ? null : Math.min(...known),
    prices: Object.fromEntries(prices),
  };
}

function strategyStatuses({
  engine,
  candleTimes,
  venueTime,
}: EngineStatusInputs): readonly StrategyStatus[] {
  return engine.hosts.map(({ id, state, symbols, interval, counts, heldTargets }) => {
    const closedAt = candleTimes.of(id);
    return {
      id,
      ...strategyState(state, engine.switchOf(id), ownCauseOf(engine, id)),
      symbols,
      held: heldTargets,
      interval,
      last_candle: closedAt === undefined ? null : new Date(closedAt).toISOString(),
      last_candle_age_ms:
        closedAt === undefined ? null : Math.max(0, Math.round(venueTime - closedAt)),
      unrealised_pnl: textOrNull(unrealisedUsdt(engine, symbols)),
      intents: counts.intents,
      refused: counts.refused,
      errors: counts.errors,
    };
  });
}

/** The control that stopped a strategy, or its newest error; undefined: neither. */
function ownCauseOf({ counts, hosts }: Engine, id: string): string | undefined {
  const host = hosts.find((each) => each.id === id);
  // A strategy that a person has started again may have failed since.
  const control = host?.state === 'failed' ? undefined : counts.stoppedBy.get(id);
  if (control !== undefined)
    return `${control} stopped it: sluice risk explain ${control}; mend it, then sluice strategy start ${id}`;
  const error = host?.errors.at(-1);
  return error === undefined ? undefined : strategyErrorText(error);
}
