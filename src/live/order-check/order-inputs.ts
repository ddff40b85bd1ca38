import type { SluiceConfig } from '../../config/config.js';
import { describeInstrument } from '../../config/instrument-resolver.js';
import type { PositionReport } from '../../core/account.js';
import { UsageError } from '../../core/command-errors.js';
import {
  add,
  fixedFromDecimal,
  multiply,
  subtract,
  textFromFixed,
  type Amount,
  type Price,
  type Ratio,
} from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import type { OrderReport } from '../../core/order.js';
import type { Files } from '../../core/ports.js';
import type { FundingForecast } from '../../risk/facts.js';
import type { AssetDetail, FuturesApi } from '../../venue/futures-api/futures-api.js';
import { readOrThrow, retryWhileRateLimited, valueOrThrow } from '../../venue/read-outcome.js';
import { readPages } from '../books/list-pages.js';

/** Facts with which orders are judged: read from the venue, or given as options. */
export interface OrderInputs {
  readonly instruments: ReadonlyMap<string, Instrument>;
  /** Last prices, USDT. */
  readonly prices: ReadonlyMap<string, Price>;
  /** In the currency of the configuration, with unrealised PnL; undefined: not known. */
  readonly equity: Amount | undefined;
  /** Balance + locked of the wallet, without unrealised PnL. */
  readonly walletTotal: Amount | undefined;
  readonly positions: readonly PositionReport[];
  /** Orders that trade; stops and targets wait on their position. */
  readonly orders: readonly OrderReport[];
  readonly leverage: ReadonlyMap<string, Ratio>;
  readonly funding: ReadonlyMap<string, FundingForecast>;
  /** Sources and assumptions, for people. */
  readonly notes: readonly string[];
}

/** Rules of the built-in instruments, no position and no order: the venue is not asked. */
export async function offlineInputs(
  config: SluiceConfig,
  symbols: readonly string[],
  files: Files,
): Promise<OrderInputs> {
  const described = await Promise.all(
    symbols.map((symbol) => describeInstrument(undefined, symbol, files)),
  );
  return {
    instruments: new Map(described.map(({ instrument }) => [instrument.symbol, instrument])),
    prices: new Map(),
    equity: undefined,
    walletTotal: undefined,
    funding: new Map(),
    positions: [],
    orders: [],
    leverage: configuredLeverages(config),
    notes: [
      'offline: no position, no open order, leverage as configured',
      ...described.flatMap(({ warnings }) => warnings),
    ],
  };
}

/**
 * The account as the venue shows it now.
 * @param source names the venue, for people
 * @throws UsageError for a symbol that the venue does not list, VenueError, StartError
 */
export async function readVenueInputs(
  api: FuturesApi,
  config: SluiceConfig,
  symbols: readonly string[],
  source: string,
): Promise<OrderInputs> {
  const currency = config.venue.tradeCurrency;
  const wallet = await readOrThrow(() => api.futuresWallet(currency), 'the futures wallet');
  const positions = await readPages(
    {
      read: (range) => readOrThrow(() => api.positions(currency, range), 'open positions'),
      keyOf: ({ positionId }) => positionId,
    },
    Infinity,
  );
  const orders = await readPages(
    {
      read: (range) => readOrThrow(() => api.openOrders(currency, range), 'open orders'),
      keyOf: ({ orderId }) => orderId,
    },
    Infinity,
  );
  const instruments = new Map<string, Instrument>();
  const prices = new Map<string, Price>();
  const funding = new Map<string, FundingForecast>();
  const trading = orders.filter(({ role }) => role === 'trade');
  const all = new Set([...symbols, ...symbolsIn({ positions, orders: trading })]);
  for (const symbol of all) {
    const asset = await listedAsset(api, symbol);
    instruments.set(symbol, asset.instrument);
    if (asset.price !== undefined) prices.set(symbol, asset.price);
    const forecast = fundingOf(asset);
    if (forecast !== undefined) funding.set(symbol, forecast);
  }
  const leverage = await readLeverages(api, config, [...all]);
  const total = add(wallet.balance, wallet.locked);
  const unrealised = positions.flatMap((row) => unrealisedOf(row, prices, config));
  return {
    instruments,
    prices,
    equity: unrealised.reduce<Amount>((sum, part) => add(sum, part), total),
    walletTotal: total,
    funding,
    positions,
    orders: trading,
    leverage: leverage.values,
    notes: [`read from ${source}; assumed is a reconciled bot (mode TRADING)`, ...leverage.notes],
  };
}

/** Symbols with a position or an open order. */
export const symbolsIn = ({
  positions,
  orders,
}: Pick<OrderInputs, 'positions' | 'orders'>): readonly string[] => [
  ...new Set([...positions, ...orders].flatMap(({ symbol }) => symbol ?? [])),
];

const fundingOf = ({ fundingRate, nextFundingMs }: AssetDetail): FundingForecast | undefined =>
  fundingRate === undefined || nextFundingMs === undefined
    ? undefined
    : { rate: fixedFromDecimal(fundingRate), nextSettlementMs: nextFundingMs };

/** @throws UsageError for a symbol that the venue does not list */
async function listedAsset(api: FuturesApi, symbol: string): Promise<AssetDetail> {
  const outcome = await retryWhileRateLimited(() => api.asset({ symbol }));
  if (outcome.kind === 'no' && outcome.code === 'asset-not-found')
    throw new UsageError(
      `the venue does not list ${symbol} (sluice account instruments lists all)`,
    );
  return valueOrThrow(outcome, `the instrument ${symbol}`);
}

/** A symbol without a leverage gets the configured one at the start. */
async function readLeverages(
  api: FuturesApi,
  config: SluiceConfig,
  symbols: readonly string[],
): Promise<{ readonly values: ReadonlyMap<string, Ratio>; readonly notes: readonly string[] }> {
  const configured = configuredLeverages(config);
  const values = new Map<string, Ratio>();
  const notes: string[] = [];
  for (const symbol of symbols) {
    const outcome = await retryWhileRateLimited(() =>
      api.leverage({ symbol }, config.venue.tradeCurrency),
    );
    const own = configured.get(symbol);
    if (outcome.kind === 'yes') values.set(symbol, outcome.value.leverage);
    else if (outcome.kind === 'no' && own !== undefined) {
      values.set(symbol, own);
      notes.push(`the venue has no leverage of ${symbol}; a start sets ${textFromFixed(own)}`);
    }
  }
  return { values, notes };
}

/** In the currency of the wallet; nothing while the price is unknown. */
function unrealisedOf(
  { symbol, side, quantity, entryPrice }: PositionReport,
  prices: ReadonlyMap<string, Price>,
  { venue }: SluiceConfig,
): readonly Amount[] {
  const last = prices.get(symbol);
  if (last === undefined) return [];
  const move = side === 'long' ? subtract(last, entryPrice) : subtract(entryPrice, last);
  const usdt = multiply(move, quantity) as Amount;
  const rate = venue.tradeCurrency === 'INR' ? venue.inrRate?.value : undefined;
  return [rate === undefined ? usdt : multiply(usdt, rate)];
}

/** By symbol, of the strategies. */
const configuredLeverages = ({ strategies }: SluiceConfig): ReadonlyMap<string, Ratio> =>
  new Map(
    strategies.flatMap(({ symbols, leverage }) => symbols.map((each) => [each, leverage] as const)),
  );
