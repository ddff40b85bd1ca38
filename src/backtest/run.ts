import { Decimal } from '../core/decimal.js';
import {
  decimalFromFixed,
  fixed,
  fixedFromDecimal,
  fixedFromNumber,
  fixedFromText,
  ZERO,
  type Amount,
  type Price,
  type Usdt,
} from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import { Engine } from '../engine/engine.js';
import { createExchange } from '../exchange/create-exchange.js';
import type { LedgerTotals, SimulatedExchange } from '../exchange/simulated-exchange.js';
import type { Note } from '../execution/effects.js';
import { fundingTermsOf } from './funding-rates.js';
import { InlineVenue, type RunFill, type RunFunding } from './inline-venue.js';
import { marketsOf, type BacktestPlan } from './plan.js';
import { PHASE, PULSE } from './pulse.js';
import { walk, type Walked } from './walk.js';

export interface BacktestRun extends Walked {
  readonly engine: Engine;
  readonly fills: readonly RunFill[];
  readonly fundings: readonly RunFunding[];
  readonly notes: readonly Note[];
  readonly finalEquity: Amount;
  readonly totals: LedgerTotals;
  /** Cost of slippage against the unslipped prices, USDT; in the fills' prices already. */
  readonly slippage: Usdt;
  readonly liquidations: number;
}

/**
 * Walks the candles over the simulated exchange and the one engine. A decision at the close of a
 * candle fills, if it is a market order, at the open of the next; what the fills of an open cause can
 * match at that same open (a reversal is two orders).
 */
export function runBacktest(plan: BacktestPlan): BacktestRun {
  const { base } = plan;
  const exchange = createBacktestExchange(plan);
  const venue = new InlineVenue(exchange, plan.currency, plan.trails);
  if (plan.pulse !== undefined) plan.pulse[PULSE.phase] = PHASE.make;
  const engine = new Engine({
    account: 'backtest',
    currency: plan.currency,
    base,
    seats: [plan.seat],
    gate: plan.gate,
    effects: venue,
    hedgeRate: plan.hedgeRate,
  });
  venue.attach(engine);
  let liquidations = 0;
  exchange.listen((event) => {
    if (event.kind === 'close' && event.close.kind === 'liquidated') liquidations += 1;
    plan.heard?.(event);
  });
  begin(engine, venue, exchange, plan);

  const walked = walk(plan, { engine, venue, exchange });
  return {
    engine,
    fills: venue.fills,
    fundings: venue.fundings,
    notes: venue.notes,
    ...walked,
    finalEquity: exchange.equity(plan.currency),
    totals: exchange.totals(plan.currency),
    slippage: slippageOf(venue.fills, plan.slippageBps),
    liquidations,
  };
}

/** Market fills are worse by `bps` of the price (a buy pays p × (1 + bps/10,000)). */
function slippageOf(fills: readonly RunFill[], bps: number): Usdt {
  let cost = new Decimal(0);
  if (bps === 0) return ZERO;
  for (const { order, execution, side } of fills) {
    if (order.type !== 'market') continue;
    const price = decimalFromFixed(execution.price);
    const factor = new Decimal(bps)
      .div(10_000)
      .times(side === 'buy' ? 1 : -1)
      .plus(1);
    const unslipped = price.div(factor);
    cost = cost.plus(price.minus(unslipped).abs().times(decimalFromFixed(execution.quantity)));
  }
  return fixedFromDecimal(cost);
}

function begin(
  engine: Engine,
  venue: InlineVenue,
  exchange: SimulatedExchange,
  plan: BacktestPlan,
): void {
  const { currency } = plan;
  const markets = marketsOf(plan);
  const startedAt = exchange.nowMs;
  engine.at(startedAt, startedAt);
  engine.accountIsCurrent();
  engine.start(markets.map(({ instrument }) => instrument));
  venue.drain();
  for (const { instrument, columns } of markets) {
    const open = fixedFromNumber<'price'>(columns.open[0] as number);
    exchange.jump(instrument.symbol, open, open);
  }
  venue.tellWallet();
  engine.accountSnapshot({ kind: 'open-orders', currency, startedAt, orders: [] });
  engine.accountSnapshot({ kind: 'positions', currency, startedAt, positions: [] });
  venue.drain();
}

function createBacktestExchange(plan: BacktestPlan): SimulatedExchange {
  const none = { USDT: ZERO as Amount, INR: ZERO as Amount };
  let id = 0;
  return createExchange({
    listings: marketsOf(plan),
    takerFeeRate: plan.takerFeeRate,
    makerFeeRate: plan.makerFeeRate,
    slippageBps: plan.slippageBps,
    spot: none,
    futures: { ...none, [plan.currency]: plan.cash },
    hedgeRate: plan.hedgeRate,
    limitFill: plan.limitFill,
    ...(plan.funding !== undefined && { funding: fundingTermsOf(plan.funding) }),
    nextId: () => `b${++id}`,
    startMs: Math.min(...marketsOf(plan).map(({ columns }) => columns.openTime[0] as number)),
  });
}

/** An instrument for a symbol nobody described: any size and price the ledger can hold. */
export function looseInstrument(symbol: string): Instrument {
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
