import type { SluiceConfig } from '../../config/config.js';
import type { Currency } from '../../core/currency.js';
import {
  add,
  larger,
  negate,
  smaller,
  subtract,
  ZERO,
  type Amount,
  type Quantity,
  type Usdt,
} from '../../core/fixed/fixed.js';
import type { Files } from '../../core/ports.js';
import { recoverRestrictions } from '../../execution/recovery/recovered-restrictions.js';
import { readJournal } from '../plan/read-journal.js';
import { readKillFile } from '../state/kill-file.js';
import type { Exposure, SymbolExposure } from '../../risk/exposure.js';
import { equityUsdt } from '../../risk/evidence.js';
import type { GateFacts } from '../../risk/facts.js';
import type { LossFacts } from '../../risk/loss/loss-facts.js';
import { stricter, type KillLevel, type Mode } from '../../risk/mode.js';
import type { Restriction } from '../../risk/restrictions.js';
import { symbolsIn, type OrderInputs } from './order-inputs.js';

/** Facts of the state folder. */
export interface StateFacts {
  /** Level of the `KILL` file. */
  readonly killLevel: KillLevel | undefined;
  /** Restrictions that only a person ends. */
  readonly restrictions: readonly Restriction[];
}

/** A run on an embedded sandbox has a new folder, so that nothing of an earlier run matters. */
export async function readStateFacts(
  { venue, stateDir }: SluiceConfig,
  files: Files,
): Promise<StateFacts> {
  if (venue.endpoint.kind === 'embedded') return { killLevel: undefined, restrictions: [] };
  const records = (await readJournal(files, stateDir)) ?? [];
  const kill = await readKillFile(files, stateDir);
  return { killLevel: kill?.level, restrictions: recoverRestrictions(records) };
}

/** The gate's facts of a reconciled bot with this account, all of them read just now. */
export function commandFacts(
  config: SluiceConfig,
  inputs: OrderInputs,
  state: StateFacts,
  venueTime: number,
): GateFacts {
  const now = 0;
  const known = (symbol: string): number | undefined =>
    inputs.prices.has(symbol) ? now : undefined;
  return {
    venueTime,
    monotonic: now,
    exposure: exposureIn(inputs),
    killLevel: state.killLevel,
    mode: (symbol) => modeOf(symbol, state),
    modeCause: (symbol) => restrictionsOn(symbol, state)[0]?.cause,
    exitHold: undefined,
    haltReason: (symbol) => haltOf(symbol, state)?.cause,
    instrument: (symbol) => inputs.instruments.get(symbol),
    lastPrice: (symbol) => inputs.prices.get(symbol),
    lastPriceAt: known,
    markPrice: () => undefined,
    markPriceAt: () => undefined,
    ordersAt: () => now,
    positionsAt: () => now,
    walletAt: () => now,
    losses: (currency) =>
      currency === config.venue.tradeCurrency ? newDay(inputs, config) : undefined,
    equity: (currency: Currency) =>
      currency === config.venue.tradeCurrency ? inputs.equity : undefined,
    walletTotal: (currency: Currency) =>
      currency === config.venue.tradeCurrency ? inputs.walletTotal : undefined,
    entryPrice: (symbol) => inputs.positions.find((row) => row.symbol === symbol)?.entryPrice,
    externalOrderPrice: (symbol) => inputs.orders.find((row) => row.symbol === symbol)?.price,
    priceJump: () => undefined,
    volatility: () => undefined,
    funding: (symbol) => inputs.funding.get(symbol),
    hedgeRate: () => config.venue.inrRate?.value,
    hedgeRateAt: () => config.venue.inrRate && (config.venue.inrRate.asOf ?? venueTime),
    configuredLeverage: (symbol) =>
      config.strategies.find(({ symbols }) => symbols.includes(symbol))?.leverage ??
      inputs.leverage.get(symbol),
    leverage: (symbol) => inputs.leverage.get(symbol),
  };
}

/** Restrictions of the account and of the symbol. */
const restrictionsOn = (symbol: string, { restrictions }: StateFacts): readonly Restriction[] =>
  restrictions.filter((each) => each.symbol === undefined || each.symbol === symbol);

const haltOf = (symbol: string, state: StateFacts): Restriction | undefined =>
  restrictionsOn(symbol, state).find((each) => each.control === 'R22' && each.symbol === symbol);

/** R22 itself refuses the entries of a halted symbol, and names the cause. */
const modeOf = (symbol: string, state: StateFacts): Mode =>
  restrictionsOn(symbol, state)
    .filter(({ control }) => control !== 'R22')
    .reduce<Mode>((mode, { to }) => stricter<Mode>(mode, to), 'TRADING');

const exposureIn = (inputs: OrderInputs): Exposure => ({
  of: (symbol) => exposureOf(symbol, inputs),
  symbols: () => symbolsIn(inputs),
  bestPrice: (symbol, _currency, side) => {
    const prices = inputs.orders.flatMap((order) =>
      order.symbol === symbol && order.side === side ? (order.price ?? []) : [],
    );
    const [first, ...rest] = prices;
    return first === undefined ? undefined : rest.reduce(side === 'buy' ? larger : smaller, first);
  },
  orderCount: inputs.orders.length,
});

/** A venue day that begins now: the command has no history of the wallet. */
function newDay({ equity }: OrderInputs, { venue }: SluiceConfig): LossFacts | undefined {
  if (equity === undefined) return undefined;
  const dayStartUsdt =
    venue.tradeCurrency === 'USDT'
      ? (equity as Usdt)
      : equityUsdt(venue.tradeCurrency, {
          equity: () => equity,
          hedgeRate: () => venue.inrRate?.value,
        });
  if (dayStartUsdt === undefined) return undefined;
  return {
    dayLoss: ZERO as Amount,
    dayStart: equity,
    drawdown: ZERO as Amount,
    highWater: equity,
    unexplained: undefined,
    orders: 0,
    turnover: ZERO as Usdt,
    dayStartUsdt,
    losingCloses: 0,
    pausedUntil: undefined,
  };
}

/** Every open order counts as if it filled and opened: the list does not show which ones only reduce. */
function exposureOf(symbol: string, { positions, orders }: OrderInputs): SymbolExposure {
  const position = positions
    .filter((row) => row.symbol === symbol)
    .reduce<Quantity>(
      (sum, { side, quantity }) => add(sum, side === 'long' ? quantity : negate(quantity)),
      NONE,
    );
  const own = orders.filter((order) => order.symbol === symbol);
  const open = (side: 'buy' | 'sell'): Quantity =>
    own
      .filter((order) => order.side === side)
      .reduce<Quantity>(
        (sum, { quantity, filledQuantity }) => add(sum, subtract(quantity, filledQuantity)),
        NONE,
      );
  return {
    position,
    maxPosition: add(larger(position, NONE), open('buy')),
    minPosition: subtract(smaller(position, NONE), open('sell')),
    reducingQuantity: NONE,
    orderCount: own.length,
    unresolvedIntents: 0,
  };
}

const NONE = ZERO as Quantity;
