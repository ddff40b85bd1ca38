import { VenueError } from '../../../venue/venue.js';
import { valueAt, textAt, responseText, type ProbeResponse } from '../probe-http.js';
import type { ProbeContext } from '../probe-context.js';
import { QUESTIONS } from '../probe-run.js';
import type { VenueAnswers } from './venue-answers.js';

const FUTURES = '/fapi/v1/futures';

/** Fields of an asset that are rules or fees; the others follow the market (interface: asset). */
const RULES = [
  'min_contract',
  'max_contract',
  'quantity_step',
  'min_price',
  'max_price',
  'price_step',
  'max_market_contract',
  'min_notional_value',
  'min_funding_rate',
  'max_funding_rate',
  'trading_fee_perc',
  'leverage_step',
  'min_leverage',
  'max_leverage',
] as const;

/** Questions of the probe that public reads answer alike at any hour. */
const ASKED = [
  'wire-running-bucket',
  'wire-empty-klines',
  'unknown-symbol-empty',
  'interval-in-text',
  'date-header',
] as const;

/** Headers by which venues publish their rate limits (draft-ietf-httpapi-ratelimit-headers). */
const LIMIT_HEADER = /^(?:x-)?ratelimit-(?:limit|policy)/;

export interface AnswerReaderParts {
  /** Context of a symbol, all on one client. */
  readonly contextOf: (symbol: string) => ProbeContext;
  readonly symbols: readonly string[];
  readonly venue: string;
  /** ms UTC. */
  readonly utcMs: number;
}

/**
 * Reads the answers of a venue by GET requests alone: about sixteen, and two for each symbol.
 * @throws VenueError when the venue refuses the key, limits the rate or fails; TransportError
 */
export async function readVenueAnswers(parts: AnswerReaderParts): Promise<VenueAnswers> {
  const { contextOf, symbols, venue, utcMs } = parts;
  const values: Record<string, string> = {};
  const shapes = new Map<string, Set<string>>();
  const [first] = symbols;
  if (first === undefined) throw new VenueError('no symbol is configured');
  const context = contextOf(first);
  const read = async (name: string, path: string, query = {}): Promise<unknown> => {
    const response = await context.http.get(path, { query });
    values[`status of ${name}`] = String(response.status);
    for (const [header, value] of Object.entries(response.headers))
      if (LIMIT_HEADER.test(header)) values[`${header} of ${name}`] = value;
    addShape(shapes, `${name}: `, response.json);
    return response.json;
  };
  for (const { name, path, query } of listsOf(context)) await read(name, path, query);
  for (const symbol of symbols) {
    const asset = await read('asset', `${FUTURES}/${symbol}`, { is_symbol: '1' });
    for (const rule of RULES) {
      const value = textAt(asset, 'data', rule);
      if (value !== undefined) values[`${rule} of ${symbol}`] = value;
    }
  }
  for (const question of QUESTIONS.filter(({ id }) => ASKED.some((each) => each === id))) {
    const { answer } = await question.ask(context);
    if (answer !== undefined) values[`answer to ${question.id}`] = answer;
  }
  const sorted = [...shapes].map(([path, types]) => [path, [...types].sort()] as const);
  return { venue, since: utcMs, values, shapes: Object.fromEntries(sorted) };
}

function listsOf({ currency }: ProbeContext) {
  const list = { trade_currency: currency, limit: '20' };
  const row = (name: string, path: string, query: Readonly<Record<string, string>>) => ({
    name,
    path,
    query,
  });
  return [
    row('futures funds', `${FUTURES}/funds`, { trade_currency: currency }),
    row('spot funds', '/fapi/v1/wallet/funds', { trade_currency: currency }),
    row('assets', FUTURES, { limit: '20' }),
    row('orders', `${FUTURES}/orders`, list),
    row('order history', `${FUTURES}/orders/history`, list),
    row('positions', `${FUTURES}/positions`, list),
    row('position history', `${FUTURES}/positions/history`, list),
    row('fees', `${FUTURES}/fee/history`, list),
    row('transfers', `${FUTURES}/transactions`, list),
  ];
}

/**
 * A venue that is down or refuses the key says nothing about its answers.
 * @throws VenueError
 */
export function refuseFailure(path: string, response: ProbeResponse): void {
  const { status } = response;
  if (status !== 401 && status !== 403 && status !== 429 && status < 500) return;
  throw new VenueError(`${path} cannot be read: HTTP ${responseText(response)}`);
}

/** Adds the JSON type of each field; the rows of a list count as one object. */
function addShape(shapes: Map<string, Set<string>>, path: string, value: unknown): void {
  const types = shapes.get(path) ?? new Set();
  shapes.set(path, types.add(typeOf(value)));
  if (Array.isArray(value)) {
    for (const row of value as readonly unknown[]) addShape(shapes, `${path}[]`, row);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const prefix = path.endsWith(': ') ? path : `${path}.`;
  for (const key of Object.keys(value)) addShape(shapes, `${prefix}${key}`, valueAt(value, key));
}

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
