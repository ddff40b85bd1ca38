import type { ListRange } from './futures-api.js';
import type { Query } from './url.js';

/** `limit` and `offset` of a list; what is left out takes the venue's default. */
export const rangeQuery = (range: ListRange = {}): Query => ({
  limit: range.limit?.toString(),
  offset: range.offset?.toString(),
});
