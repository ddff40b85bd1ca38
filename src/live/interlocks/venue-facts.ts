import type { SluiceConfig } from '../../config/config.js';
import type { PositionReport } from '../../core/account.js';
import type { Candle } from '../../core/candle.js';
import { CURRENCIES } from '../../core/currency.js';
import type { Ratio } from '../../core/fixed/fixed.js';
import { closeTimeOf } from '../../core/interval.js';
import type { Clock } from '../../core/ports.js';
import type { Outcome } from '../../core/request.js';
import { planWarmUp, type WarmUpRequirement } from '../../market/candles/warm-up.js';
import type { FuturesApi } from '../../venue/futures-api/futures-api.js';
import { failedRead, VenueError, type CandleRange } from '../../venue/venue.js';
import type { Instrument } from '../../core/instrument.js';
import { LIVE_BASE } from '../bot/live-base.js';
import type { RetryPolicy } from '../bot/bot-parts.js';
import type { VenueClock } from '../clock/venue-clock.js';
import {
  matchFingerprint,
  type AccountFingerprint,
  type PresentedAccount,
} from './account-fingerprint.js';
import type { Reading } from './reading.js';
import type { CandleCoverage, VenueFacts } from './start-facts.js';

/** Reads of the account. There is no way to change it in this type. */
export type StartReads = Pick<
  FuturesApi,
  'futuresWallet' | 'leverage' | 'openOrders' | 'orderHistory' | 'positions' | 'transactions'
>;

export interface VenueFactsParts {
  readonly config: SluiceConfig;
  /** Absent: a paper run without a key. */
  readonly account?: StartReads;
  readonly venue: {
    instruments(symbols: readonly string[]): Promise<readonly Instrument[]>;
    candles(range: CandleRange): Promise<readonly Candle[]>;
  };
  readonly clock: Clock;
  readonly venueClock: VenueClock;
  /** Whether an answer had a Date header. */
  readonly hasServerDate: () => boolean;
  readonly withRetry: RetryPolicy;
  /** Candles that the strategies need, by symbol. */
  readonly needs: ReadonlyMap<string, readonly WarmUpRequirement[]>;
  readonly secret: string | undefined;
  readonly fingerprint: AccountFingerprint | undefined;
  readonly hasJournal: boolean;
}

export interface VenueReadings {
  readonly facts: VenueFacts;
  /** The account of the key, to be learned. */
  readonly presented: PresentedAccount | undefined;
}

const MINUTE_MS = 60_000;
/** Range of the newest candles, and of the oldest ones that are needed. */
const SAMPLE_MS = 60 * MINUTE_MS;
const MAX_ROWS = 100;

/**
 * Asks the venue for everything that the interlocks judge: about six requests, and four for each symbol.
 * All of them are reads.
 * @throws the error of `withRetry` when the wait for the venue was ended
 */
export async function readVenueFacts(parts: VenueFactsParts): Promise<VenueReadings> {
  const { config, account } = parts;
  const symbols = [...new Set(config.strategies.flatMap((strategy) => strategy.symbols))];
  const instruments = await attempt(parts, () => parts.venue.instruments(symbols));
  const wallet = await attempt(parts, () => readAccount(parts));
  const ids = 'fault' in wallet ? wallet : await attempt(parts, () => readIds(account));
  const positions = await attempt(parts, () => readOpenPositions(parts));
  const leverage = new Map<string, Reading<Ratio | undefined>>();
  const candles = new Map<string, Reading<CandleCoverage>>();
  for (const symbol of symbols) {
    leverage.set(symbol, await attempt(parts, () => readLeverage(parts, symbol)));
    candles.set(symbol, await attempt(parts, () => readCoverage(parts, symbol)));
  }
  const presented = presentedOf(parts, ids);
  return {
    facts: {
      skewMs: skewOf(parts),
      account: wallet,
      fingerprint: fingerprintOf(parts, presented),
      instruments,
      positions,
      leverage,
      candles,
    },
    presented: 'value' in presented ? presented.value : undefined,
  };
}

/** A venue that is down is waited for; a read that it refuses is a fact. */
async function attempt<T>(
  { withRetry }: VenueFactsParts,
  read: () => Promise<T>,
): Promise<Reading<T>> {
  try {
    return { value: await withRetry(read) };
  } catch (error) {
    if (error instanceof VenueError) return { fault: error.message };
    throw error;
  }
}

async function readAccount({ account, config }: VenueFactsParts): Promise<null> {
  if (account === undefined) throw new VenueError('there is no key');
  valueOf('The wallet', await account.futuresWallet(config.venue.tradeCurrency));
  return null;
}

async function readOpenPositions({
  account,
  config,
}: VenueFactsParts): Promise<readonly PositionReport[]> {
  if (account === undefined) throw new VenueError('there is no key');
  const range = { limit: MAX_ROWS };
  return valueOf('The positions', await account.positions(config.venue.tradeCurrency, range));
}

async function readIds(account: StartReads | undefined): Promise<readonly string[]> {
  if (account === undefined) return [];
  const ids: string[] = [];
  for (const currency of CURRENCIES) {
    const range = { limit: MAX_ROWS };
    const transfers = valueOf('The transfers', await account.transactions(currency, range));
    const history = valueOf('The order history', await account.orderHistory(currency, range));
    ids.push(...transfers.map(({ id }) => id), ...history.map(({ orderId }) => orderId));
  }
  return ids;
}

async function readLeverage(
  { account, config }: VenueFactsParts,
  symbol: string,
): Promise<Ratio | undefined> {
  if (account === undefined) throw new VenueError('there is no key');
  const outcome = await account.leverage({ symbol }, config.venue.tradeCurrency);
  if (outcome.kind === 'no' && outcome.code === 'leverage-not-set') return undefined;
  return valueOf(`The leverage of ${symbol}`, outcome).leverage;
}

async function readCoverage(parts: VenueFactsParts, symbol: string): Promise<CandleCoverage> {
  const { venue, venueClock, needs } = parts;
  const toMs = venueClock.now();
  const newest = await venue.candles({
    symbol,
    interval: LIVE_BASE,
    fromMs: toMs - SAMPLE_MS,
    toMs,
  });
  const last = newest.at(-1);
  const plan = planWarmUp(LIVE_BASE, needs.get(symbol) ?? [], toMs);
  const neededFrom = plan.candles === 0 ? undefined : plan.range.fromMs;
  const oldest =
    neededFrom === undefined
      ? []
      : await venue.candles({
          symbol,
          interval: LIVE_BASE,
          fromMs: neededFrom,
          toMs: Math.min(neededFrom + SAMPLE_MS, toMs),
        });
  return {
    newestAgeMs: last === undefined ? undefined : toMs - closeTimeOf(LIVE_BASE, last.openTime),
    neededFrom,
    oldestOpen: oldest[0]?.openTime,
  };
}

function valueOf<T>(what: string, outcome: Outcome<T>): T {
  if (outcome.kind === 'yes') return outcome.value;
  throw failedRead(what, outcome);
}

const skewOf = ({ venueClock, clock, hasServerDate }: VenueFactsParts): Reading<number> =>
  hasServerDate()
    ? { value: venueClock.now() - clock.utcMs() }
    : { fault: 'no answer of the venue has a Date header, so its clock is unknown' };

function presentedOf(
  { secret }: VenueFactsParts,
  ids: Reading<readonly string[]>,
): Reading<PresentedAccount> {
  if (secret === undefined) return { fault: 'there is no key' };
  return 'fault' in ids ? ids : { value: { secret, ids: ids.value } };
}

const fingerprintOf = (
  { fingerprint, hasJournal }: VenueFactsParts,
  presented: Reading<PresentedAccount>,
): VenueFacts['fingerprint'] =>
  'fault' in presented
    ? presented
    : { value: matchFingerprint(fingerprint, presented.value, hasJournal) };
