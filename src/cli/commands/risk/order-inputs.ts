import type { PositionReport } from '../../../core/account.js';
import type { SluiceConfig } from '../../../config/config.js';
import { describeInstrument } from '../../../config/instrument-resolver.js';
import {
  add,
  fixedFromDecimal,
  fixedFromText,
  multiply,
  subtract,
  textFromFixed,
  type Amount,
  type Price,
  type Ratio,
} from '../../../core/fixed/fixed.js';
import type { Instrument } from '../../../core/instrument.js';
import type { OrderReport } from '../../../core/order.js';
import { createLogger } from '../../../live/log/logger.js';
import {
  createFuturesApi,
  type ClosableFuturesApi,
} from '../../../venue/futures-api/http/create-futures-api.js';
import type { AssetDetail } from '../../../venue/futures-api/futures-api.js';
import { Secret } from '../../../venue/futures-api/http/secret.js';
import { StartError, UsageError } from '../../../core/command-errors.js';
import { TransportError } from '../../../core/ports.js';
import type { FundingForecast } from '../../../risk/facts.js';
import { VenueError } from '../../../venue/venue.js';
import type { Io } from '../../command-io.js';
import { readOrThrow, retryWhileRateLimited, valueOrThrow } from '../account/account-connection.js';
import { readPages } from '../../../live/books/list-pages.js';
import { openVenueNet } from '../../venue-net.js';
import { openVenue } from '../run/open-venue.js';
import type { GivenFacts } from './risk-options.js';

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

/** @throws StartError when the venue cannot be read, with the options that replace it */
export async function readOrderInputs(
  config: SluiceConfig,
  symbols: readonly string[],
  given: GivenFacts & { readonly debug: boolean },
  io: Io,
): Promise<OrderInputs> {
  const inputs = given.offline
    ? await offlineInputs(config, symbols, io)
    : await venueInputs(config, symbols, given.debug, io);
  const prices = Object.entries(given.prices).map(
    ([symbol, price]) => [symbol, fixedFromText<'price'>(price)] as const,
  );
  return {
    ...inputs,
    prices: new Map([...inputs.prices, ...prices]),
    ...(given.equity !== undefined && {
      equity: fixedFromText(given.equity),
      walletTotal: fixedFromText(given.equity),
    }),
  };
}

async function offlineInputs(
  config: SluiceConfig,
  symbols: readonly string[],
  io: Io,
): Promise<OrderInputs> {
  const described = await Promise.all(
    symbols.map((symbol) => describeInstrument(undefined, symbol, io.files)),
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

const configuredLeverages = ({ strategies }: SluiceConfig): ReadonlyMap<string, Ratio> =>
  new Map(
    strategies.flatMap(({ symbols, leverage }) => symbols.map((each) => [each, leverage] as const)),
  );

async function venueInputs(
  config: SluiceConfig,
  symbols: readonly string[],
  debug: boolean,
  io: Io,
): Promise<OrderInputs> {
  const net = openVenueNet(config);
  const venue = await openVenue(config, io);
  let api: ClosableFuturesApi | undefined;
  try {
    const { baseUrl, secret } = venue;
    if (secret === undefined) throw new UsageError(noSecretText(config));
    const { text } = secret;
    const logging = { level: debug ? 'debug' : 'warn', write: io.stderr } as const;
    const logger = await createLogger({
      ...logging,
      ...{ pretty: io.isTerminal, colour: false, secrets: [text], stacks: debug },
    });
    api = createFuturesApi({ ...io, baseUrl, secret: new Secret(text), net, logger });
    const source = venue.sandbox === undefined ? baseUrl : 'a new embedded sandbox';
    return await readVenue(api, config, symbols, source);
  } catch (error) {
    if (!(error instanceof VenueError || error instanceof TransportError)) throw error;
    throw new StartError(
      `the venue ${venue.baseUrl} cannot be read: ${error.message}. Without it: --offline --equity AMOUNT and the prices`,
      { cause: error },
    );
  } finally {
    await api?.close();
    await venue.sandbox?.close();
    await net.close();
  }
}

async function readVenue(
  api: ClosableFuturesApi,
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
async function listedAsset(api: ClosableFuturesApi, symbol: string): Promise<AssetDetail> {
  const outcome = await retryWhileRateLimited(() => api.asset({ symbol }));
  if (outcome.kind === 'no' && outcome.code === 'asset-not-found')
    throw new UsageError(
      `the venue does not list ${symbol} (sluice account instruments lists all)`,
    );
  return valueOrThrow(outcome, `the instrument ${symbol}`);
}

/** A symbol without a leverage gets the configured one at the start. */
async function readLeverages(
  api: ClosableFuturesApi,
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

const noSecretText = ({ locate, mode }: SluiceConfig): string =>
  `${locate(['venue'])} mode: ${mode} without api_secret_file has no account to read: add --offline --equity AMOUNT and the prices`;
