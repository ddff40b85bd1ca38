import type { Case } from './case-registry.js';
import { access, bodies } from './cases/bodies.js';
import { clientIds } from './cases/client-ids.js';
import { currency } from './cases/currency.js';
import { endpoints } from './cases/endpoints.js';
import { fields } from './cases/fields.js';
import { limits } from './cases/limits.js';
import { lists } from './cases/lists.js';
import { marketErrors } from './cases/market-errors.js';
import { orderV1Errors } from './cases/order-v1-errors.js';
import { orderV2Errors } from './cases/order-v2-errors.js';
import { states } from './cases/states.js';
import { streamErrors } from './cases/stream-errors.js';
import { streams } from './cases/streams.js';
import { tradingErrors } from './cases/trading-errors.js';
import { ROWS } from './rows.js';

const order = new Map(ROWS.map(({ id }, at) => [id, at]));

/** Every case, in the order of the rows. */
export const ALL_CASES: readonly Case[] = [
  endpoints,
  orderV1Errors,
  orderV2Errors,
  tradingErrors,
  marketErrors,
  streamErrors,
  states,
  currency,
  clientIds,
  limits,
  streams,
  fields,
  lists,
  bodies,
  access,
]
  .flatMap((registry) => registry.cases)
  .sort((a, b) => (order.get(a.row) ?? 0) - (order.get(b.row) ?? 0));

/** Faults of the numbering: a row without a case, a case without a row. */
export function numberingFaults(): readonly string[] {
  const used = new Set(ALL_CASES.map((test) => test.row));
  const ids = ALL_CASES.map((test) => test.id);
  return [
    ...ROWS.filter(({ id }) => !used.has(id)).map(
      ({ id, statement }) => `${id} (${statement}) has no case`,
    ),
    ...[...used].filter((id) => !order.has(id)).map((id) => `${id} is no row of the documents`),
    ...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id} is used twice`),
  ];
}
