import {
  fixed,
  fixedFromNumber,
  fixedFromText,
  ZERO,
  type Amount,
  type Price,
  type Usdt,
} from '../core/fixed/fixed.js';
import type { Instrument } from '../core/instrument.js';
import { Engine } from '../engine/engine.js';
import type { Assumptions } from '../exchange/assumptions.js';
import { createExchange } from '../exchange/create-exchange.js';
import type {
  ExchangeOptions,
  FundingTerms,
  LedgerTotals,
  SimulatedExchange,
} from '../exchange/simulated-exchange.js';
import type { Note } from '../execution/effects.js';
import { fundingTermsOf } from './data/funding-rates.js';
import type { OrderDecision } from './rows/decision-rows.js';
import { BacktestEffectSink } from './effects/backtest-effect-sink.js';
import type { RunFill, RunFunding } from './effects/run-fills.js';
import { markAt } from './data/mark-prices.js';
import { assertFillOfClock, type BarOf } from './fill-clock.js';
import { marketsOf, type BacktestPlan } from './plan.js';
import { slippageModelOf } from './slippage.js';
import { PHASE, HEARTBEAT_CELL } from './heartbeat.js';
import { runCandles, type CandleRunResult } from './run-candles.js';

export interface BacktestRun extends CandleRunResult {
  readonly engine: Engine;
  readonly fills: readonly RunFill[];
  readonly fundings: readonly RunFunding[];
  readonly notes: readonly Note[];
  readonly finalEquity: Amount;
  readonly totals: LedgerTotals;
  /** Cost of slippage in USDT. The fill prices include it already. */
  readonly slippage: Usdt;
  readonly liquidations: number;
  /** The decision behind an order, by its id at the exchange; undefined: a stop, a target or a liquidation. */
  readonly decisionOf: (orderId: string) => OrderDecision | undefined;
}

/**
 * Runs the candles over the simulated exchange and the engine. A market order decided at the close of a
 * candle fills at the open of the next one. Orders caused by these fills can match at the same open, because
 * a reversal is two orders.
 */
export function runBacktest(plan: BacktestPlan): BacktestRun {
  const { base } = plan;
  const exchange = createBacktestExchange(plan);
  let barOf: BarOf = () => -Infinity;
  const sink = new BacktestEffectSink(exchange, plan.currency, {
    hasTrailingStop: plan.hasTrailingStop,
    latencyMs: plan.latencyMs,
    onFill: (fill) => {
      assertFillOfClock(fill, base, barOf);
    },
  });
  if (plan.heartbeat !== undefined) plan.heartbeat[HEARTBEAT_CELL.phase] = PHASE.make;
  const engine = new Engine({
    account: 'backtest',
    currency: plan.currency,
    base,
    strategies: plan.strategies,
    gate: plan.gate,
    effects: sink,
    hedgeRate: { value: plan.hedgeRate },
  });
  sink.attach(engine);
  let liquidations = 0;
  exchange.listen((event) => {
    if (event.kind === 'close' && event.close.kind === 'liquidated') liquidations += 1;
    plan.onExchangeEvent?.(event);
  });
  startEngine(engine, sink, exchange, plan);

  const candleRun = runCandles(plan, {
    ...{ engine, sink, exchange },
    watchBars: (bars) => {
      barOf = bars;
    },
  });
  let fills: readonly RunFill[] | undefined;
  return {
    engine,
    get fills() {
      return (fills ??= sink.fills());
    },
    fundings: sink.fundings,
    notes: sink.notes,
    ...candleRun,
    finalEquity: exchange.equity(plan.currency),
    totals: exchange.totals(plan.currency),
    slippage: sink.slippage,
    liquidations,
    decisionOf: (orderId) => sink.decisionOf(orderId),
  };
}

function startEngine(
  engine: Engine,
  sink: BacktestEffectSink,
  exchange: SimulatedExchange,
  plan: BacktestPlan,
): void {
  const { currency } = plan;
  const markets = marketsOf(plan);
  const startedAt = exchange.nowMs;
  engine.setTime(startedAt, startedAt);
  engine.markAccountCurrent();
  engine.start(markets.map(({ instrument }) => instrument));
  sink.drain();
  for (const { instrument, columns } of markets) {
    const open = fixedFromNumber<'price'>(columns.open[0] as number);
    exchange.gapTo(instrument.symbol, open, open);
  }
  sink.emitWallet();
  engine.onAccountSnapshot({ kind: 'open-orders', currency, startedAt, orders: [] });
  engine.onAccountSnapshot({ kind: 'positions', currency, startedAt, positions: [] });
  sink.drain();
}

function createBacktestExchange(plan: BacktestPlan): SimulatedExchange {
  const none = { USDT: ZERO as Amount, INR: ZERO as Amount };
  let id = 0;
  const columnsOf = new Map(
    marketsOf(plan).map(({ instrument, columns }) => [instrument.symbol, columns]),
  );
  const assumptions: Partial<Assumptions> = {
    // A position held for years outlives its margin on unrealised profit, and owes funding all the same.
    fundingShortfall: 'margin-then-balance',
    ...(plan.rebates === true && { rebates: 'forty-percent' }),
  };
  const options: ExchangeOptions = {
    listings: marketsOf(plan),
    takerFeeRate: plan.takerFeeRate,
    makerFeeRate: plan.makerFeeRate,
    slippage: slippageModelOf(plan.slippage, columnsOf, (): number => exchange.nowMs),
    spot: none,
    futures: { ...none, [plan.currency]: plan.cash },
    hedgeRate: plan.hedgeRate,
    limitFill: plan.limitFill,
    ...(plan.funding !== undefined && {
      funding: { ...fundingTermsOf(plan.funding), mark: settlementMarkOf(plan) },
    }),
    nextId: () => `b${++id}`,
    startMs: Math.min(...marketsOf(plan).map(({ columns }) => columns.openTime[0] as number)),
  };
  const exchange = createExchange(options, assumptions);
  return exchange;
}

/** The mark price at a settlement; undefined: that of the moment. */
function settlementMarkOf(plan: BacktestPlan): NonNullable<FundingTerms['mark']> {
  const marksOf = new Map(
    marketsOf(plan).map(({ instrument, settlementMarks }) => [instrument.symbol, settlementMarks]),
  );
  return (symbol, settlementMs) => {
    const marks = marksOf.get(symbol);
    return marks === undefined ? undefined : markAt(marks, settlementMs);
  };
}

/** An instrument without limits: any size and price that the ledger can hold. */
export function unrestrictedInstrument(symbol: string): Instrument {
  const step = fixed<never>(1);
  const most = fixedFromText<never>('1000000000000000');
  return {
    symbol,
    assetId: symbol,
    baseAsset: symbol.replace(/USDT$/, ''),
    quantityStep: step,
    minQuantity: step,
    maxQuantity: most,
    maxMarketQuantity: most,
    priceStep: step as Price,
    minPrice: step,
    maxPrice: most,
    minNotional: ZERO,
    leverageStep: step,
    minLeverage: fixed(1_000_000),
    maxLeverage: fixed(100_000_000_000),
  };
}
