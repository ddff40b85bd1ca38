import type { BacktestMarket, BacktestPlan } from '../../backtest/plan.js';
import { runBacktest, type BacktestRun } from '../../backtest/run.js';
import type { RunFill } from '../../backtest/effects/run-fills.js';
import { AUTO_SLIPPAGE } from '../../backtest/slippage.js';
import { configFromYaml, type SluiceConfig } from '../../config/config.js';
import { StartError } from '../../core/command-errors.js';
import {
  add,
  fixed,
  fixedFromText,
  multiplyExact,
  subtract,
  ZERO,
  type Amount,
  type Quantity,
} from '../../core/fixed/fixed.js';
import { loadStrategies } from '../../live/strategies/load-strategies.js';
import { strategyInstancesOf } from '../../live/strategies/strategy-instances.js';
import { createGate } from '../../risk/gate.js';
import { LIVE_BASE } from '../../live/bot/live-base.js';
import {
  decisionName,
  exitName,
  type DriftDecision,
  type DriftFill,
  type DriftSide,
} from './decision-fills.js';
import type { AccountTerms } from './drift-fees.js';
import type { MarketRecord } from './market-record.js';

/** The maintenance rate that a backtest assumes: the venue does not publish its own. */
const MAINTENANCE_RATE = fixedFromText<'ratio'>('0.01');

export interface DriftBacktestInputs {
  readonly config: SluiceConfig;
  readonly market: MarketRecord;
  readonly terms: AccountTerms;
  /** Wallet at the start of the session. */
  readonly cash: Amount;
}

/**
 * Runs the strategies of a session over the candles that it received, with the defaults of `sluice backtest`
 * and without funding.
 * @throws StartError where the record lacks their candles or instruments
 */
export async function runDriftBacktest(inputs: DriftBacktestInputs): Promise<DriftSide> {
  const { config, market, terms, cash } = inputs;
  const symbols = [...new Set(config.strategies.flatMap((strategy) => strategy.symbols))];
  const [first, ...others] = symbols.map((symbol) => marketOf(symbol, market));
  if (first === undefined)
    throw new StartError('the session ran no strategy: there is no backtest to compare it with');
  const asBacktest = configFromYaml(config.path, new TextEncoder().encode(config.text), 'backtest');
  const strategies = strategyInstancesOf({ config, strategies: await loadStrategies(config) });
  const plan: BacktestPlan = {
    ...first,
    others,
    strategies,
    base: LIVE_BASE,
    currency: terms.currency,
    cash,
    hedgeRate: terms.rate,
    takerFeeRate: terms.takerFeeRate,
    makerFeeRate: terms.makerFeeRate,
    slippage: AUTO_SLIPPAGE,
    limitFill: 'through',
    intrabar: 'pessimistic',
    gate: createGate(asBacktest.riskSettings),
    hasTrailingStop: config.strategies.some(({ protect }) => protect.trailingPct !== undefined),
    marketEvents: market.streams,
    liveFromMs: market.firstLiveMs,
  };
  return sideOf(runBacktest(plan));
}

function marketOf(symbol: string, market: MarketRecord): BacktestMarket {
  const instrument = market.instruments.get(symbol);
  const columns = market.columns(symbol);
  if (instrument === undefined || columns.length === 0)
    throw new StartError(
      `the record holds no ${instrument === undefined ? 'instrument' : 'candle'} of ${symbol}: the session ended before it could trade`,
    );
  return { instrument, maintenanceRate: MAINTENANCE_RATE, columns };
}

function sideOf(run: BacktestRun): DriftSide {
  const decisions = new Map<string, DriftDecision>();
  const fills: DriftFill[] = [];
  const last = new Map<string, string>();
  for (const fill of run.fills) {
    const decision = decisionOf(fill, run, last);
    const known = decisions.get(decision.name) ?? decision;
    known.ordered = add(known.ordered, fill.execution.quantity);
    decisions.set(decision.name, known);
    fills.push(driftFill(fill, known));
    if (known.cause !== undefined) last.set(known.symbol, known.name);
  }
  return { decisions, fills };
}

function decisionOf(
  { order, execution, side, reason }: RunFill,
  run: BacktestRun,
  last: ReadonlyMap<string, string>,
): DriftDecision {
  const { symbol } = order;
  const intent = run.decisionOf(order.orderId);
  const ordered = ZERO as Quantity;
  if (intent === undefined) {
    const name = exitName(symbol, reason, last.get(symbol));
    return { name, strategy: reason, symbol, side, time: execution.time, ordered };
  }
  const { strategyId: strategy, cause, decidedAt: time } = intent;
  const name = decisionName(strategy, symbol, side, intent);
  return { name, strategy, symbol, side, time, cause, ordered };
}

function driftFill({ execution }: RunFill, { name, symbol, side, time }: DriftDecision): DriftFill {
  const { price, quantity, slippage = fixed<'price'>(0), fee } = execution;
  const market = side === 'buy' ? subtract(price, slippage) : add(price, slippage);
  return {
    ...{ decision: name, symbol, side, quantity, fee },
    value: multiplyExact(quantity, price),
    marketValue: multiplyExact(quantity, market),
    // A fill belongs to the time of its decision: the open of the next candle has the same time.
    from: time,
    to: time,
  };
}
