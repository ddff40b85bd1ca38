import { isAtMost, fixedFromText, textFromFixed, type Ratio } from '../../core/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import type { AccountOptions } from './account-options.js';
import type { Io } from '../command-options.js';
import type { SluiceConfig } from '../config.js';
import { confirm } from './confirmation.js';
import { EXIT } from '../exit-code.js';
import { SafetyRefusal, StartError, UsageError } from '../failure.js';
import { leverageFault } from '../listed-symbols.js';
import { OperatorSession } from './operator-session.js';
import { printJson, printRecord } from './printing.js';
import { didYouMean } from '../suggestion.js';
import { configOf, patiently, read, valueOf, type VenueAccess } from './venue-access.js';

/** A set is answered and read back at once, unless answers are lost. */
const SHOWN_WITHIN_MS = 15_000;

type Setting = Extract<AccountOptions, { readonly what: 'set-leverage' }>;

export async function showLeverage(
  { symbol, json }: Extract<AccountOptions, { readonly what: 'leverage' }>,
  access: VenueAccess,
  io: Io,
): Promise<number> {
  await listedInstrument(access, symbol);
  return print(symbol, await leverageAtVenue(access, symbol), { access, io, json });
}

/** Sets the leverage of one symbol in one currency and reads it back (hazards F4, F5). */
export async function setLeverage(options: Setting, access: VenueAccess, io: Io): Promise<number> {
  const { symbol, yes, json } = options;
  const config = configOf(access);
  const leverage = fixedFromText<'ratio'>(options.leverage);
  const fault = leverageFault(leverage, await listedInstrument(access, symbol));
  if (fault !== undefined) throw new UsageError(fault);
  refuseAboveLimit(leverage, config);
  const before = await leverageAtVenue(access, symbol);
  await refuseWhileOpen(options, access);
  await confirm({ lines: planOf({ symbol, leverage, before }, access, config) }, yes, io);
  const session = await OperatorSession.open(config, access, io);
  try {
    return print(symbol, await set(symbol, leverage, { session, access }), { access, io, json });
  } finally {
    await session.close();
  }
}

async function set(
  symbol: string,
  leverage: Ratio,
  { session, access }: { readonly session: OperatorSession; readonly access: VenueAccess },
): Promise<Ratio> {
  const { currency } = access;
  const text = `leverage ${textFromFixed(leverage)} of ${symbol} in ${currency}`;
  const id = session.say({ kind: 'set-leverage', symbol, currency, leverage });
  const { state, evidence } = await session.operation(id, SHOWN_WITHIN_MS);
  if (state === 'set') return leverage;
  if (state === 'refused') throw new StartError(evidence);
  const read = await leverageAtVenue(access, symbol);
  const shown = read === undefined ? 'none' : textFromFixed(read);
  throw new SafetyRefusal(`${text} was sent, and the venue shows ${shown}: do not trade on it yet`);
}

/** undefined: never set. @throws StartError, VenueError */
export async function leverageAtVenue(
  { api, currency }: VenueAccess,
  symbol: string,
): Promise<Ratio | undefined> {
  const outcome = await patiently(() => api.leverage({ symbol }, currency));
  const neverSet = outcome.kind === 'no' && outcome.code === 'leverage-not-set';
  return neverSet ? undefined : valueOf(outcome, `the leverage of ${symbol}`).leverage;
}

/** @throws UsageError with the symbol that was probably meant */
export async function listedInstrument({ api }: VenueAccess, symbol: string): Promise<Instrument> {
  const outcome = await patiently(() => api.asset({ symbol }));
  if (outcome.kind !== 'no' || outcome.code !== 'asset-not-found') {
    return valueOf(outcome, symbol).instrument;
  }
  const listed = await read(() => api.assets({ limit: 1_000 }), 'the instruments');
  const meant = didYouMean(
    symbol,
    listed.map(({ instrument }) => instrument.symbol),
  );
  throw new UsageError(`the venue does not list ${symbol}${meant}`);
}

function refuseAboveLimit(leverage: Ratio, { riskSettings }: SluiceConfig): void {
  const { maxLeverage } = riskSettings.limits;
  if (riskSettings.preset !== 'standard' || isAtMost(leverage, maxLeverage)) return;
  throw new SafetyRefusal(
    `leverage ${textFromFixed(leverage)} is above risk.max_leverage ${textFromFixed(maxLeverage)} (R15)`,
  );
}

/** More than the interface's default of 20, which would hide the rest. */
const ALL = { limit: 500 } as const;

async function refuseWhileOpen(options: Setting, { api, currency }: VenueAccess): Promise<void> {
  if (options.force) return;
  const { symbol } = options;
  const positions = await read(() => api.positions(currency, ALL), 'open positions');
  const orders = await read(() => api.openOrders(currency, ALL), 'open orders');
  const what = positions.some((position) => position.symbol === symbol)
    ? 'a position'
    : orders.some((order) => order.symbol === symbol)
      ? 'an order'
      : undefined;
  if (what === undefined) return;
  throw new SafetyRefusal(
    `${symbol} has ${what} open: another leverage would move its liquidation price. Close it first, or add --force`,
  );
}

function planOf(
  change: { readonly symbol: string; readonly leverage: Ratio; readonly before: Ratio | undefined },
  { baseUrl, currency }: VenueAccess,
  config: SluiceConfig,
): readonly string[] {
  const { symbol, leverage, before } = change;
  const from = before === undefined ? 'never set' : textFromFixed(before);
  const owner = config.strategies.find((strategy) => strategy.symbols.includes(symbol));
  const setsBack =
    owner === undefined || owner.leverage === leverage
      ? []
      : [`${owner.id} sets it back to ${textFromFixed(owner.leverage)} when \`sluice run\` starts`];
  return [
    `leverage of ${symbol} in ${currency}: ${from} → ${textFromFixed(leverage)}`,
    `at ${baseUrl}, account ${config.account}`,
    ...setsBack,
  ];
}

async function print(
  symbol: string,
  leverage: Ratio | undefined,
  { access, io, json }: { readonly access: VenueAccess; readonly io: Io; readonly json: boolean },
): Promise<number> {
  const value = leverage === undefined ? null : textFromFixed(leverage);
  const record = { symbol, currency: access.currency, leverage: value };
  if (json) printJson(io, record);
  else await printRecord(io, { ...record, leverage: value ?? 'never set' });
  return EXIT.done;
}
