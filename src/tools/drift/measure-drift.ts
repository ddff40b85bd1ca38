import { configFromYaml, type SluiceConfig } from '../../config/config.js';
import { StartError } from '../../core/command-errors.js';
import {
  absolute,
  add,
  fixedFromText,
  isAtMost,
  ONE,
  subtract,
  textFromFixed,
  unitsOf,
  ZERO,
  type Amount,
  type Price,
} from '../../core/fixed/fixed.js';
import {
  ARCHIVE_MISSING,
  replaySession,
  wasCompared,
  type StoredSession,
} from '../../live/replay/replay-sessions.js';
import type { DriftFill, DriftSide } from './decision-fills.js';
import { runDriftBacktest } from './drift-backtest.js';
import { DriftFees, type AccountTerms } from './drift-fees.js';
import type { DriftCause, DriftParts, DriftReport } from './drift-report.js';
import { LiveRecord } from './live-record.js';
import { pairDecisions, driftRowOf, totalAmounts, type DriftAmounts } from './pair-decisions.js';
import { profitOf, sumOf } from './price-walk.js';
import {
  certainReadings,
  chargesOf,
  fillsBefore,
  Inventory,
  lastCertain,
  type WalletTotal,
} from './wallet-walk.js';

/** In the currency of the account: a larger remainder has a cause that the record does not show. */
const TOLERANCE = fixedFromText<'USDT'>('0.01') as Amount;
/** Fees observed at a venue of this interface (supplement: fees). */
const FEES = { taker: fixedFromText<'ratio'>('0.00059'), maker: fixedFromText<'ratio'>('0.00023') };

/**
 * Compares the recorded sessions of a state folder with a backtest of the candles that they received. Sessions
 * before the last change of the configuration are left out.
 *
 * @throws StartError where the record does not suffice, ConfigError, LogCorruptError
 */
export async function measureDrift(
  stateDir: string,
  stored: readonly StoredSession[],
): Promise<DriftReport> {
  const sessions = comparableSessions(stored);
  const config = configOf(sessions.at(-1) as StoredSession);
  const terms = termsOf(config);
  const fees = new DriftFees(terms);
  const live = new LiveRecord(fees);
  const identical = await replayAll(sessions, live);
  const [start] = live.wallets;
  const end = lastCertain(certainReadings(live.wallets, live.fills));
  if (start === undefined || end === undefined || live.market.firstLiveMs === Infinity)
    throw new StartError(
      `the record of ${stateDir} holds no reading of the wallet between its trades: let a session run for some candles, then ask again`,
    );
  const backtest = await runDriftBacktest({
    config,
    market: live.market,
    terms,
    cash: start.total,
  });
  return reportOf(
    { stateDir, sessions, config, identical, live, fees },
    { start, end, backtest: untilEnd(backtest, live, end) },
    stored.length > sessions.length ? OLDER_SESSIONS : [],
  );
}

const OLDER_SESSIONS = [
  'earlier sessions ran another configuration, and are left out: a backtest has one configuration',
];

/** The newest sessions that ran one configuration. @throws StartError */
function comparableSessions(stored: readonly StoredSession[]): readonly StoredSession[] {
  const newest = stored.findLast(({ header }) => header.operator === undefined);
  if (newest === undefined)
    throw new StartError('no strategy ran in the recorded sessions: there is nothing to compare');
  const differs = stored.findLastIndex(
    ({ header }) => header.operator === undefined && header.configText !== newest.header.configText,
  );
  return stored.slice(differs + 1, stored.indexOf(newest) + 1);
}

const configOf = ({ header: { configPath, configText } }: StoredSession): SluiceConfig =>
  configFromYaml(configPath, new TextEncoder().encode(configText));

const termsOf = ({ mode, paper, venue }: SluiceConfig): AccountTerms => ({
  currency: venue.tradeCurrency,
  takerFeeRate: mode === 'paper' ? paper.takerFeeRate : FEES.taker,
  makerFeeRate: mode === 'paper' ? paper.makerFeeRate : FEES.maker,
  rate: venue.tradeCurrency === 'USDT' || venue.inrRate === undefined ? ONE : venue.inrRate.value,
});

/** @returns whether the replay made every journal record again. @throws StartError */
async function replayAll(sessions: readonly StoredSession[], live: LiveRecord): Promise<boolean> {
  let identical = true;
  for (const stored of sessions) {
    const replayed = await replaySession(stored, live);
    if (!wasCompared(replayed))
      throw new StartError(`session ${stored.session} cannot be compared: ${ARCHIVE_MISSING}`);
    identical &&= replayed.identical;
  }
  if (live.heldAtStart.length > 0)
    throw new StartError(
      `the first session that ran this configuration began with an open position of ${live.heldAtStart.join(', ')}, which a backtest cannot hold: ` +
        'compare a session that began flat',
    );
  return identical;
}

/** The decisions and fills that the last reading of the wallet includes. */
function untilEnd(backtest: DriftSide, live: LiveRecord, end: WalletTotal): DriftSide {
  const lastClose = live.market.lastCloseAt(end.from);
  const isBefore = ({ to }: DriftFill): boolean => to <= lastClose;
  return withFills(backtest, backtest.fills.filter(isBefore), lastClose);
}

const withFills = (
  { decisions }: DriftSide,
  fills: readonly DriftFill[],
  until: number,
): DriftSide => ({
  fills,
  decisions: new Map([...decisions].filter(([, { time }]) => time <= until)),
});

interface Compared {
  readonly stateDir: string;
  readonly sessions: readonly StoredSession[];
  readonly config: SluiceConfig;
  readonly identical: boolean;
  readonly live: LiveRecord;
  readonly fees: DriftFees;
}

interface Span {
  readonly start: WalletTotal;
  readonly end: WalletTotal;
  readonly backtest: DriftSide;
}

function reportOf(
  { stateDir, sessions, config, identical, live, fees }: Compared,
  { start, end, backtest }: Span,
  warnings: readonly string[],
): DriftReport {
  const fills = fillsBefore(live.fills, end);
  const session = withFills(live, fills, end.from);
  const endPrice = (symbol: string): Price =>
    live.market.trail(symbol).at(end.from)?.price ?? (ZERO as Price);
  const amountOf = (value: bigint): Amount => fees.amountOf(value);
  const readings = certainReadings(live.wallets, live.fills).filter(({ to }) => to <= end.to);
  const charges = chargesOf([start, ...readings], fills, amountOf);
  const pairs = pairDecisions({ live, session, backtest, fees, endPrice });
  const amounts = totalAmounts(pairs, charges.funding);
  const moved = subtract(end.total, start.total);
  const sessionNet = add(moved, amountOf(unrealised(fills, endPrice)));
  const backtestNet = netOf(backtest.fills, endPrice, amountOf);
  const gap = subtract(sessionNet, backtestNet);
  const explained = Object.values(amounts).reduce<Amount>(
    (sum, each) => add(sum, each),
    ZERO as Amount,
  );
  const remainder = subtract(gap, explained);
  const rows = pairs.map(driftRowOf);
  return {
    state_dir: stateDir,
    sessions: sessions.map(({ session: name }) => name),
    mode: config.mode,
    currency: fees.currency,
    from: new Date(live.market.firstLiveMs).toISOString(),
    to: new Date(end.from).toISOString(),
    identical,
    decisions: pairs.length,
    decisions_alike: pairs.filter((pair) => pair.session?.filled === pair.backtest?.filled).length,
    session_fills: fills.length,
    backtest_fills: backtest.fills.length,
    session_net: textFromFixed(sessionNet),
    backtest_net: textFromFixed(backtestNet),
    gap: textFromFixed(gap),
    parts: partsText(amounts),
    remainder: textFromFixed(remainder),
    explained: isAtMost(absolute(remainder), TOLERANCE),
    differing: rows.filter((row) => row !== undefined),
    warnings,
  };
}

const partsText = (amounts: DriftAmounts): DriftParts =>
  Object.fromEntries(
    (Object.keys(amounts) as DriftCause[]).map((cause) => [cause, textFromFixed(amounts[cause])]),
  ) as Record<DriftCause, string>;

/** Profit of the open positions, USDT in units of `PRODUCT_PLACES`. */
function unrealised(fills: readonly DriftFill[], endPrice: (symbol: string) => Price): bigint {
  const inventory = new Inventory();
  let realised = 0n;
  for (const fill of [...fills].sort((a, b) => a.to - b.to)) realised += inventory.book(fill);
  return profitAt(fills, endPrice) - realised;
}

/** Profit of all fills at the price of the end, before fees. */
const profitAt = (fills: readonly DriftFill[], endPrice: (symbol: string) => Price): bigint =>
  fills.reduce(
    (sum, fill) =>
      sum + profitOf(fill.side, sumOf([fill], fill.quantity), unitsOf(endPrice(fill.symbol))),
    0n,
  );

const netOf = (
  fills: readonly DriftFill[],
  endPrice: (symbol: string) => Price,
  amountOf: (value: bigint) => Amount,
): Amount =>
  fills.reduce<Amount>((net, { fee }) => subtract(net, fee), amountOf(profitAt(fills, endPrice)));
