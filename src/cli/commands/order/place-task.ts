import {
  fixedFromText,
  multiply,
  textFromFixed,
  type Price,
  type Ratio,
} from '../../../core/fixed/fixed.js';
import type { OrderTerms } from '../../../core/order.js';
import type { ManualSymbol } from '../../../engine/operator/manual-trading.js';
import type { OrderOptions } from './order-options.js';
import type { Io } from '../../command-io.js';
import type { SluiceConfig } from '../../../config/config.js';
import { confirm, readBeforeSending } from '../account/confirmation.js';
import { SafetyRefusal } from '../../../core/command-errors.js';
import { leverageAtVenue, listedInstrument } from '../account/leverage-task.js';
import { OperatorSession } from '../account/operator-session.js';
import { orderOfCommand, commandOutcome, printOutcome } from './order-outcome.js';
import { isProved, orderTermsText } from './own-order-row.js';
import { configOf, type AccountConnection } from '../account/account-connection.js';
import { retryWhileRateLimited } from '../../../venue/read-outcome.js';

type PlaceOptions = Extract<OrderOptions, { readonly what: 'place' }>;

/** Real ms after the command until which the order may be sent. */
const VALID_FOR_MS = 10_000;

/** Places one manual order through the risk gate, the journal and the order protocol. */
export async function placeOrder(
  options: PlaceOptions,
  connection: AccountConnection,
  io: Io,
): Promise<number> {
  const config = configOf(connection);
  const terms = termsOf(options, connection);
  await readBeforeSending(listedInstrument(connection, terms.symbol));
  const manualSymbol = await readBeforeSending(manualSymbolOf(terms, connection, config));
  await confirm(
    { lines: await placeLines(terms, manualSymbol, connection, config) },
    options.yes,
    io,
  );
  const session = await OperatorSession.open(config, connection, io, manualSymbol);
  try {
    await session.start(manualSymbol);
    const { bot } = session;
    const id = submitOnce(terms, options, session);
    await session.waitUntil(() => {
      const outcome = commandOutcome(bot.engine, id);
      return outcome?.kind === 'refused' || (outcome !== undefined && isProved(outcome.order));
    }, options.waitMs);
    return await printOutcome(commandOutcome(bot.engine, id), { io, json: options.json });
  } finally {
    await session.close();
  }
}

/** Submits a --once key at most once; later commands report the first order. */
function submitOnce(terms: OrderTerms, { once }: PlaceOptions, session: OperatorSession): string {
  const { bot } = session;
  const validUntil = Math.ceil(bot.venueTimeIn(VALID_FOR_MS));
  const command = { kind: 'order', terms, validUntil } as const;
  if (once === undefined) return session.submitCommand(command);
  const id = `once-${once}`;
  const existing = orderOfCommand(bot.engine, id);
  if (existing === undefined) return session.submitCommand(command, id);
  if (orderTermsText(existing.terms) === orderTermsText(terms)) return id;
  throw new SafetyRefusal(
    `nothing was sent: --once ${once} already placed another order (${orderTermsText(existing.terms)})`,
  );
}

function termsOf(options: PlaceOptions, { currency }: AccountConnection): OrderTerms {
  const { symbol, side, quantity, limit, reduceOnly, stop, target } = options;
  return {
    symbol,
    currency,
    side,
    type: limit === undefined ? 'market' : 'limit',
    quantity: fixedFromText(quantity),
    ...(limit !== undefined && { price: fixedFromText<'price'>(limit) }),
    reduceOnly,
    ...(stop !== undefined && { stopLoss: fixedFromText<'price'>(stop) }),
    ...(target !== undefined && { takeProfit: fixedFromText<'price'>(target) }),
  };
}

/** A reducing order blocks no margin, and must not change the leverage of its position. */
async function manualSymbolOf(
  { symbol, reduceOnly }: OrderTerms,
  connection: AccountConnection,
  config: SluiceConfig,
): Promise<ManualSymbol> {
  if (reduceOnly) return { symbol };
  return { symbol, leverage: await leverageFor(symbol, connection, config) };
}

/**
 * The leverage of the configuration for the symbol, else the one set at the venue.
 * @throws SafetyRefusal when neither is set
 */
export async function leverageFor(
  symbol: string,
  connection: AccountConnection,
  config: SluiceConfig,
): Promise<Ratio> {
  const configured = config.strategies.find((strategy) =>
    strategy.symbols.includes(symbol),
  )?.leverage;
  const leverage = configured ?? (await leverageAtVenue(connection, symbol));
  if (leverage !== undefined) return leverage;
  throw new SafetyRefusal(
    `no leverage is set for ${symbol} in ${connection.currency}: set it with sluice account leverage set ${symbol} 1 --config ${config.path}`,
  );
}

async function placeLines(
  terms: OrderTerms,
  { leverage }: ManualSymbol,
  { api, baseUrl }: AccountConnection,
  config: SluiceConfig,
): Promise<readonly string[]> {
  const asset = await retryWhileRateLimited(() => api.asset({ symbol: terms.symbol }));
  const last = asset.kind === 'yes' ? asset.value.price : undefined;
  return [
    orderTermsText(terms),
    `${notionalText(terms, last)}${leverage === undefined ? '' : `leverage ${textFromFixed(leverage)}, `}${terms.currency} wallet`,
    `at ${baseUrl}, account ${config.account}`,
  ];
}

function notionalText({ price, quantity }: OrderTerms, last: Price | undefined): string {
  const at = price ?? last;
  if (at === undefined) return '';
  const notional = textFromFixed(multiply(quantity, at));
  return `worth ${notional} USDT${last === undefined ? '' : `, the price is ${textFromFixed(last)}`}, `;
}
