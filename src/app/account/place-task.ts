import {
  fixedFromText,
  multiply,
  textFromFixed,
  type Price,
  type Ratio,
} from '../../core/fixed.js';
import type { OrderTerms } from '../../core/order.js';
import type { OperatorDesk } from '../../engine/operator/operator-seat.js';
import type { OrderOptions } from './account-options.js';
import type { Io } from '../command-options.js';
import type { SluiceConfig } from '../config.js';
import { confirm } from './confirmation.js';
import { SafetyRefusal } from '../failure.js';
import { leverageAtVenue, listedInstrument } from './leverage-task.js';
import { OperatorSession } from './operator-session.js';
import { orderOf, outcomeOf, tellOutcome } from './order-outcome.js';
import { isProved, termsText } from './own-order-row.js';
import { configOf, patiently, type VenueAccess } from './venue-access.js';

type Place = Extract<OrderOptions, { readonly what: 'place' }>;

/** Its bytes do not leave later than this after it was given, real ms. */
const VALID_MS = 10_000;

/** One order by hand, the way of every order: gate, journal, protocol, proof. */
export async function placeOrder(options: Place, access: VenueAccess, io: Io): Promise<number> {
  const config = configOf(access);
  const terms = termsOf(options, access);
  await listedInstrument(access, terms.symbol);
  const leverage = await leverageFor(terms, access, config);
  const desk = { symbol: terms.symbol, leverage };
  await confirm({ lines: await planOf(terms, desk, access, config) }, options.yes, io);
  const session = await OperatorSession.open(config, access, io, desk);
  try {
    await session.start(desk);
    const { bot } = session;
    const id = give(terms, options, session);
    await session.until(() => {
      const outcome = outcomeOf(bot.engine, id);
      return outcome?.kind === 'refused' || (outcome !== undefined && isProved(outcome.order));
    }, options.waitMs);
    return await tellOutcome(outcomeOf(bot.engine, id), { io, json: options.json });
  } finally {
    await session.close();
  }
}

/** A key that has had its order gets no other one: the first is looked at again. */
function give(terms: OrderTerms, { once }: Place, session: OperatorSession): string {
  const { bot } = session;
  const validUntil = Math.ceil(bot.venueTimeIn(VALID_MS));
  const command = { kind: 'order', terms, validUntil } as const;
  if (once === undefined) return session.say(command);
  const id = `once-${once}`;
  const before = orderOf(bot.engine, id);
  if (before === undefined) return session.say(command, id);
  if (termsText(before.terms) === termsText(terms)) return id;
  throw new SafetyRefusal(
    `nothing was sent: --once ${once} has had another order already (${termsText(before.terms)})`,
  );
}

function termsOf(options: Place, { currency }: VenueAccess): OrderTerms {
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

/**
 * What the configuration wants for the symbol, else what the venue has. A reduction blocks no margin,
 * and must not move the leverage of the position that it reduces (hazard F5).
 * @throws SafetyRefusal when neither says
 */
export async function leverageFor(
  { symbol, reduceOnly }: Pick<OrderTerms, 'symbol' | 'reduceOnly'>,
  access: VenueAccess,
  config: SluiceConfig,
): Promise<Ratio> {
  const wanted = config.strategies.find((strategy) => strategy.symbols.includes(symbol))?.leverage;
  if (wanted !== undefined && !reduceOnly) return wanted;
  const set = (await leverageAtVenue(access, symbol)) ?? wanted;
  if (set !== undefined) return set;
  throw new SafetyRefusal(
    `no leverage is set for ${symbol} in ${access.currency}: sluice account leverage set ${symbol} 1 --config ${config.path}`,
  );
}

async function planOf(
  terms: OrderTerms,
  { leverage }: OperatorDesk,
  { api, baseUrl }: VenueAccess,
  config: SluiceConfig,
): Promise<readonly string[]> {
  const asset = await patiently(() => api.asset({ symbol: terms.symbol }));
  const last = asset.kind === 'yes' ? asset.value.price : undefined;
  return [
    termsText(terms),
    `${worthText(terms, last)}leverage ${textFromFixed(leverage)}, ${terms.currency} wallet`,
    `at ${baseUrl}, account ${config.account}`,
  ];
}

function worthText({ price, quantity }: OrderTerms, last: Price | undefined): string {
  const at = price ?? last;
  if (at === undefined) return '';
  const worth = textFromFixed(multiply(quantity, at));
  return `worth ${worth} USDT${last === undefined ? '' : `, the price is ${textFromFixed(last)}`}, `;
}
