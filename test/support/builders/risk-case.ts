import type { Currency } from '../../../src/core/currency.js';
import {
  fixedFromText,
  isLess,
  larger,
  smaller,
  ZERO,
  type Fixed,
  type Quantity,
} from '../../../src/core/fixed/fixed.js';
import type { Instrument } from '../../../src/core/instrument.js';
import type { OrderIntent } from '../../../src/core/intent.js';
import type { OrderTerms } from '../../../src/core/order.js';
import type { Breach, Control } from '../../../src/risk/control.js';
import { collectEvidence, type Phase } from '../../../src/risk/evidence.js';
import type { Exposure, SymbolExposure } from '../../../src/risk/exposure.js';
import type { GateFacts } from '../../../src/risk/facts.js';
import { DEFAULT_LIMITS, type RiskLimits } from '../../../src/risk/limits/risk-limits.js';
import type { LossFacts } from '../../../src/risk/loss/loss-facts.js';
import type { KillLevel, Mode } from '../../../src/risk/mode.js';
import { RecentIntents } from '../../../src/risk/recent-intents.js';

/** Decimal text to `Fixed`, for tables. */
export const d = <Unit extends string>(text: string): Fixed<Unit> => fixedFromText<Unit>(text);

export const VENUE_TIME = 1_746_403_260_000;
export const MONOTONIC = 100_000;

/** Steps of 0.001 and 0.1, as the venue lists BTCUSDT (supplement: part 4). */
export const BTC: Instrument = {
  symbol: 'BTCUSDT',
  assetId: '0190b7a3-0000-7000-8000-000000000001',
  baseAsset: 'BTC',
  quantityStep: d('0.001'),
  minQuantity: d('0.001'),
  maxQuantity: d('1500'),
  maxMarketQuantity: d('150'),
  priceStep: d('0.1'),
  minPrice: d('0.1'),
  maxPrice: d('1999999.8'),
  minNotional: d('5'),
  leverageStep: d('0.01'),
  minLeverage: d('1'),
  maxLeverage: d('100'),
};

type TermTexts = Partial<
  Record<'quantity' | 'price' | 'stopLoss' | 'takeProfit', string | undefined>
>;

/** A market buy of 0.001 BTC; decimals as text. */
export interface IntentCase extends TermTexts {
  readonly symbol?: string;
  readonly currency?: Currency;
  readonly side?: 'buy' | 'sell';
  readonly exit?: boolean;
  readonly strategyId?: string;
  readonly openTime?: number;
  readonly ordinal?: number;
  readonly leg?: number;
  /** Price of the decision. */
  readonly reference?: string;
  readonly byHand?: boolean;
}

export function intentOf(of: IntentCase = {}): OrderIntent {
  const terms: OrderTerms = {
    symbol: of.symbol ?? 'BTCUSDT',
    currency: of.currency ?? 'USDT',
    side: of.side ?? 'buy',
    type: of.price === undefined ? 'market' : 'limit',
    quantity: d(of.quantity ?? '0.001'),
    ...(of.price === undefined ? {} : { price: d<'price'>(of.price) }),
    reduceOnly: of.exit ?? false,
    ...(of.stopLoss === undefined ? {} : { stopLoss: d<'price'>(of.stopLoss) }),
    ...(of.takeProfit === undefined ? {} : { takeProfit: d<'price'>(of.takeProfit) }),
  };
  const openTime = of.openTime ?? VENUE_TIME - 60_000;
  return {
    strategyId: of.strategyId ?? 'cross',
    cause:
      of.byHand === true
        ? { kind: 'operator', commandId: 'c1' }
        : { kind: 'candle', symbol: terms.symbol, interval: '1m', openTime },
    ordinal: of.ordinal ?? 0,
    leg: of.leg ?? 0,
    terms,
    referencePrice: d(of.reference ?? '60000'),
    decidedAt: VENUE_TIME,
    validUntil: VENUE_TIME + 3_000,
  };
}

/** Ages in ms, decimals as text; null: not known. */
export interface FactsCase {
  readonly venueTime?: number;
  readonly last?: string | null;
  readonly lastAge?: number | null;
  readonly mark?: string | null;
  readonly markAge?: number | null;
  readonly ordersAge?: number | null;
  readonly positionsAge?: number | null;
  readonly walletAge?: number | null;
  readonly equity?: string | null;
  /** null: not known. Default: no loss, an idle day that began with 10,000. */
  readonly losses?: Partial<LossFacts> | null;
  readonly hedgeRate?: string | null;
  readonly hedgeRateAge?: number | null;
  readonly configured?: string | null;
  readonly leverage?: string | null;
  readonly instrument?: Partial<Instrument> | null;
  readonly position?: string;
  readonly longest?: string;
  readonly shortest?: string;
  readonly reducing?: string;
  readonly orders?: number;
  readonly accountOrders?: number;
  /** Price of the open orders of others. */
  readonly externalOrderPrice?: string;
  readonly mode?: Mode;
  readonly killLevel?: KillLevel;
  readonly unknownOrders?: number;
  readonly exitHold?: string;
  readonly modeCause?: string;
  readonly halted?: string;
  /** null: not known. Default: the last price while there is a position. */
  readonly entryPrice?: string | null;
  readonly wallet?: string | null;
  /** Other symbols: worst position, signed, at a price and a leverage; null: not known. */
  readonly others?: readonly (readonly [
    symbol: string,
    position: string,
    price: string | null,
    leverage: string | null,
  ])[];
  /** Prices of our own limit orders of the symbol. */
  readonly resting?: { readonly buy?: readonly string[]; readonly sell?: readonly string[] };
  /** Two prices within a second. */
  readonly jump?: readonly [from: string, to: string];
  readonly volatility?: string;
  readonly funding?: { readonly rate: string; readonly inMs: number };
}

const NO_LOSSES: LossFacts = {
  dayLoss: d('0'),
  dayStart: d('10000'),
  drawdown: d('0'),
  highWater: d('10000'),
  unexplained: undefined,
  orders: 0,
  turnover: d('0'),
  dayStartUsdt: d('10000'),
  losingCloses: 0,
  pausedUntil: undefined,
};

/** Everything known, fresh and idle: BTC at 60,000, 10,000 USDT, leverage 2, flat, no orders. */
export function factsOf(of: FactsCase = {}): GateFacts {
  const value = <Unit extends string>(text: string | null | undefined, usual: string | null) => {
    const chosen = text === undefined ? usual : text;
    return chosen === null ? undefined : d<Unit>(chosen);
  };
  const at = (age: number | null | undefined) =>
    age === null ? undefined : MONOTONIC - (age ?? 0);
  const position = d<'quantity'>(of.position ?? '0');
  const exposure: SymbolExposure = {
    position,
    maxPosition: larger(ZERO as Quantity, d(of.longest ?? of.position ?? '0')),
    minPosition: smaller(ZERO as Quantity, d(of.shortest ?? of.position ?? '0')),
    reducingQuantity: d(of.reducing ?? '0'),
    orderCount: of.orders ?? 0,
    unresolvedIntents: of.unknownOrders ?? 0,
  };
  return {
    venueTime: of.venueTime ?? VENUE_TIME,
    monotonic: MONOTONIC,
    exposure: exposureOf(of, exposure),
    killLevel: of.killLevel,
    exitHold: of.exitHold,
    modeCause: () => of.modeCause,
    mode: () => of.mode ?? 'TRADING',
    haltReason: () => of.halted,
    instrument: () => (of.instrument === null ? undefined : { ...BTC, ...of.instrument }),
    lastPrice: (symbol) => {
      const other = of.others?.find(([name]) => name === symbol);
      return other === undefined ? value(of.last, '60000') : value(other[2], null);
    },
    lastPriceAt: () => at(of.lastAge),
    markPrice: () => value(of.mark, null),
    markPriceAt: () => at(of.markAge),
    ordersAt: () => at(of.ordersAge),
    positionsAt: () => at(of.positionsAge),
    walletAt: () => at(of.walletAge),
    equity: () => value(of.equity, '10000'),
    losses: () => (of.losses === null ? undefined : { ...NO_LOSSES, ...of.losses }),
    hedgeRate: () => value(of.hedgeRate, '85'),
    hedgeRateAt: () =>
      of.hedgeRateAge === null ? undefined : (of.venueTime ?? VENUE_TIME) - (of.hedgeRateAge ?? 0),
    configuredLeverage: () => value(of.configured, '2'),
    leverage: (symbol) => {
      const other = of.others?.find(([name]) => name === symbol);
      return other === undefined ? value(of.leverage, '2') : value(other[3], null);
    },
    walletTotal: () => value(of.wallet, of.equity === undefined ? '10000' : of.equity),
    entryPrice: (symbol) =>
      of.others?.some(([name]) => name === symbol) === true || position === 0
        ? undefined
        : value(of.entryPrice, of.last ?? '60000'),
    externalOrderPrice: () => value(of.externalOrderPrice, null),
    priceJump: () =>
      of.jump === undefined ? undefined : { from: d(of.jump[0]), to: d(of.jump[1]) },
    volatility: () => value(of.volatility, null),
    funding: () =>
      of.funding === undefined
        ? undefined
        : {
            rate: d(of.funding.rate),
            nextSettlementMs: (of.venueTime ?? VENUE_TIME) + of.funding.inMs,
          },
  };
}

function exposureOf(of: FactsCase, own: SymbolExposure): Exposure {
  const others = of.others ?? [];
  return {
    of: (symbol) => {
      const other = others.find(([name]) => name === symbol);
      if (other === undefined) return own;
      const position = d<'quantity'>(other[1]);
      return { ...NO_EXPOSURE, position, maxPosition: position, minPosition: position };
    },
    symbols: () => others.map(([symbol]) => symbol),
    bestPrice: (_symbol, _currency, side) =>
      (of.resting?.[side] ?? [])
        .map((price) => d<'price'>(price))
        .sort((a, b) => (isLess(a, b) === (side === 'sell') ? -1 : 1))[0],
    orderCount: of.accountOrders ?? of.orders ?? 0,
  };
}

const NO_EXPOSURE: SymbolExposure = {
  position: d('0'),
  maxPosition: d('0'),
  minPosition: d('0'),
  reducingQuantity: d('0'),
  orderCount: 0,
  unresolvedIntents: 0,
};

/** One row of a control's table. */
export interface ControlCase {
  readonly name: string;
  readonly intent?: IntentCase;
  readonly facts?: FactsCase;
  readonly limits?: Partial<RiskLimits>;
  readonly phase?: Phase;
  /** Intents approved before, with their venue times. */
  readonly before?: readonly (readonly [IntentCase, number])[];
  /** What the refusal says; undefined: it passes. */
  readonly refused?: RegExp;
}

export function breachOf(control: Control, row: ControlCase): Breach | undefined {
  const recent = new RecentIntents();
  for (const [intent, time] of row.before ?? []) recent.remember(intentOf(intent), time);
  const evidence = collectEvidence(
    intentOf(row.intent),
    factsOf(row.facts),
    row.phase ?? 'decide',
    recent,
  );
  return control.judge(evidence, { ...DEFAULT_LIMITS, ...row.limits }, recent);
}

/** What the row's judgement says, or "passes". */
export const explanationOf = (control: Control, row: ControlCase): string =>
  breachOf(control, row)?.explain() ?? 'passes';
