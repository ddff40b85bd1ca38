import { isAtMost, fixedFromText, textFromFixed, type Ratio } from '../../../core/fixed/fixed.js';
import type { Instrument } from '../../../core/instrument.js';
import type { AccountOptions } from './account-options.js';
import type { Io } from '../../command-io.js';
import type { SluiceConfig } from '../../../config/config.js';
import { confirm, readBeforeSending, withConsequence } from './confirmation.js';
import { EXIT } from '../../../core/exit-code.js';
import { SafetyRefusal, StartError, UsageError } from '../../../core/command-errors.js';
import { leverageFault } from '../../../live/checks/listed-symbols.js';
import { limitsInForce } from '../../../live/order-check/limits-in-force.js';
import { enforces } from '../../../risk/preset.js';
import { OperatorSession } from './operator-session.js';
import { printJson, printRecord } from './print.js';
import { didYouMean } from '../../../core/suggestion.js';
import { VenueError } from '../../../venue/venue.js';
import { configOf, type AccountConnection } from './account-connection.js';
import { retryWhileRateLimited, readOrThrow, valueOrThrow } from '../../../venue/read-outcome.js';

/** A set is confirmed at once, unless responses are lost. */
const CONFIRM_TIMEOUT_MS = 15_000;

const UNPROVED_SET =
  'was sent, and its outcome is not proved: repeat the command, which reads the leverage first';

type SetLeverageOptions = Extract<AccountOptions, { readonly what: 'set-leverage' }>;

export async function showLeverage(
  { symbol, json }: Extract<AccountOptions, { readonly what: 'leverage' }>,
  connection: AccountConnection,
  io: Io,
): Promise<number> {
  await listedInstrument(connection, symbol);
  return print(symbol, await leverageAtVenue(connection, symbol), { connection, io, json });
}

/** Sets the leverage of one symbol in one currency and reads it back. */
export async function setLeverage(
  options: SetLeverageOptions,
  connection: AccountConnection,
  io: Io,
): Promise<number> {
  const { symbol, yes, json } = options;
  const config = configOf(connection);
  const leverage = fixedFromText<'ratio'>(options.leverage);
  const fault = leverageFault(
    leverage,
    await readBeforeSending(listedInstrument(connection, symbol)),
  );
  if (fault !== undefined) throw new UsageError(fault);
  await refuseAboveLimit(leverage, config, io);
  const before = await readBeforeSending(leverageAtVenue(connection, symbol));
  await readBeforeSending(refuseWhileOpen(options, connection));
  await confirm(
    { lines: leverageLines({ symbol, leverage, before }, connection, config) },
    yes,
    io,
  );
  const session = await OperatorSession.open(config, connection, io);
  try {
    return print(symbol, await set(symbol, leverage, { session, connection }), {
      connection,
      io,
      json,
    });
  } finally {
    await session.close();
  }
}

async function set(
  symbol: string,
  leverage: Ratio,
  {
    session,
    connection,
  }: { readonly session: OperatorSession; readonly connection: AccountConnection },
): Promise<Ratio> {
  const { currency } = connection;
  const text = `leverage ${textFromFixed(leverage)} of ${symbol} in ${currency}`;
  const id = session.submitCommand({ kind: 'set-leverage', symbol, currency, leverage });
  const { state, evidence, attempts } = await session.waitForOperation(id, CONFIRM_TIMEOUT_MS);
  if (state === 'set') return leverage;
  if (state === 'refused') throw new StartError(evidence);
  if (attempts === 0) {
    const why = evidence === '' ? 'the leverage at the venue cannot be read' : evidence;
    throw new StartError(`${text}: nothing was sent: ${why}`);
  }
  const current = await leverageAtVenue(connection, symbol).catch((error: unknown) => {
    if (error instanceof VenueError) throw withConsequence(error, `${text} ${UNPROVED_SET}`);
    throw error;
  });
  // Its answer did not come in time, or the person did not wait for it.
  if (current === leverage) return leverage;
  const currentText = current === undefined ? 'none' : textFromFixed(current);
  throw new SafetyRefusal(
    `${text} was sent, and the venue shows ${currentText}: do not trade ${symbol} before they agree`,
  );
}

/** @returns undefined when it was never set. @throws StartError, VenueError */
export async function leverageAtVenue(
  { api, currency }: AccountConnection,
  symbol: string,
): Promise<Ratio | undefined> {
  const outcome = await retryWhileRateLimited(() => api.leverage({ symbol }, currency));
  const neverSet = outcome.kind === 'no' && outcome.code === 'leverage-not-set';
  return neverSet ? undefined : valueOrThrow(outcome, `the leverage of ${symbol}`).leverage;
}

/** @throws UsageError for an unlisted symbol, with the closest match */
export async function listedInstrument(
  { api }: AccountConnection,
  symbol: string,
): Promise<Instrument> {
  const outcome = await retryWhileRateLimited(() => api.asset({ symbol }));
  if (outcome.kind !== 'no' || outcome.code !== 'asset-not-found') {
    return valueOrThrow(outcome, symbol).instrument;
  }
  const listed = await readOrThrow(() => api.assets({ limit: 1_000 }), 'the instruments');
  const meant = didYouMean(
    symbol,
    listed.map(({ instrument }) => instrument.symbol),
  );
  throw new UsageError(`the venue does not list ${symbol}${meant}`);
}

async function refuseAboveLimit(
  leverage: Ratio,
  config: SluiceConfig,
  { files }: Pick<Io, 'files'>,
): Promise<void> {
  const { maxLeverage } = (await limitsInForce(config, files)).limits;
  if (!enforces(config.riskSettings.preset, 'R15') || isAtMost(leverage, maxLeverage)) return;
  throw new SafetyRefusal(
    `leverage ${textFromFixed(leverage)} is above risk.max_leverage ${textFromFixed(maxLeverage)} (R15)`,
  );
}

/** The default of the interface is 20 rows; more could be open. */
const MAX_PAGE = { limit: 500 } as const;

async function refuseWhileOpen(
  options: SetLeverageOptions,
  { api, currency }: AccountConnection,
): Promise<void> {
  if (options.force) return;
  const { symbol } = options;
  const positions = await readOrThrow(() => api.positions(currency, MAX_PAGE), 'open positions');
  const orders = await readOrThrow(() => api.openOrders(currency, MAX_PAGE), 'open orders');
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

function leverageLines(
  request: {
    readonly symbol: string;
    readonly leverage: Ratio;
    readonly before: Ratio | undefined;
  },
  { baseUrl, currency }: AccountConnection,
  config: SluiceConfig,
): readonly string[] {
  const { symbol, leverage, before } = request;
  const from = before === undefined ? 'never set' : textFromFixed(before);
  const owner = config.strategies.find((strategy) => strategy.symbols.includes(symbol));
  const resetLines =
    owner === undefined || owner.leverage === leverage
      ? []
      : [`${owner.id} sets it back to ${textFromFixed(owner.leverage)} when \`sluice run\` starts`];
  return [
    `leverage of ${symbol} in ${currency}: ${from} → ${textFromFixed(leverage)}`,
    `at ${baseUrl}, account ${config.account}`,
    ...resetLines,
  ];
}

async function print(
  symbol: string,
  leverage: Ratio | undefined,
  {
    connection,
    io,
    json,
  }: { readonly connection: AccountConnection; readonly io: Io; readonly json: boolean },
): Promise<number> {
  const value = leverage === undefined ? null : textFromFixed(leverage);
  const record = { symbol, currency: connection.currency, leverage: value };
  if (json) printJson(io, record);
  else await printRecord(io, { ...record, leverage: value ?? 'never set' });
  return EXIT.done;
}
