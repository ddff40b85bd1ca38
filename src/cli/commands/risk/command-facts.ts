import type { SluiceConfig } from '../../../config/config.js';
import type { Currency } from '../../../core/currency.js';
import { add, negate, subtract, ZERO, type Quantity } from '../../../core/fixed/fixed.js';
import type { Files } from '../../../core/ports.js';
import { recoverHalts } from '../../../execution/recovery/recovery.js';
import { readJournal } from '../../../live/plan/read-journal.js';
import { KILL_FILE } from '../../../live/state/state-folder.js';
import type { SymbolExposure } from '../../../risk/exposure.js';
import type { GateFacts } from '../../../risk/facts.js';
import type { OrderInputs } from './order-inputs.js';

/** Facts of the state folder. */
export interface StateFacts {
  /** The `KILL` file exists. */
  readonly isKilled: boolean;
  /** Symbols that only a person resumes: symbol → cause. */
  readonly halts: ReadonlyMap<string, string>;
}

/** A run on an embedded sandbox has a new folder, so that nothing of an earlier run matters. */
export async function readStateFacts(
  { venue, stateDir }: SluiceConfig,
  files: Files,
): Promise<StateFacts> {
  if (venue.endpoint.kind === 'embedded') return { isKilled: false, halts: new Map() };
  const records = (await readJournal(files, stateDir)) ?? [];
  const isKilled = await files.exists(`${stateDir}/${KILL_FILE}`);
  return { isKilled, halts: recoverHalts(records) };
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
    exposure: { of: (symbol) => exposureOf(symbol, inputs), orderCount: inputs.orders.length },
    killLevel: state.isKilled ? 'cancel' : undefined,
    mode: () => 'TRADING',
    haltReason: (symbol) => state.halts.get(symbol),
    instrument: (symbol) => inputs.instruments.get(symbol),
    lastPrice: (symbol) => inputs.prices.get(symbol),
    lastPriceAt: known,
    markPrice: () => undefined,
    markPriceAt: () => undefined,
    ordersAt: () => now,
    positionsAt: () => now,
    walletAt: () => now,
    equity: (currency: Currency) =>
      currency === config.venue.tradeCurrency ? inputs.equity : undefined,
    hedgeRate: () => config.venue.inrRate?.value,
    configuredLeverage: (symbol) =>
      config.strategies.find(({ symbols }) => symbols.includes(symbol))?.leverage ??
      inputs.leverage.get(symbol),
    leverage: (symbol) => inputs.leverage.get(symbol),
  };
}

/** Every open order counts as if it filled and opened: the list does not tell which ones only reduce. */
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
    maxPosition: add(position, open('buy')),
    minPosition: subtract(position, open('sell')),
    reducingQuantity: NONE,
    orderCount: own.length,
    unresolvedIntents: 0,
  };
}

const NONE = ZERO as Quantity;
