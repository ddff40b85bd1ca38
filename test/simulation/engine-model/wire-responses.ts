import type { Outcome } from '../../../src/core/request.js';
import type { PositionReport } from '../../../src/core/account.js';
import { listOutcome, outcomeOfResponse } from '../../../src/venue/futures-api/http/outcome.js';
import { placementSchema } from '../../../src/venue/futures-api/wire/wire-order.js';
import { positionsSchema } from '../../../src/venue/futures-api/wire/wire-position.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const failure = (text: string): string => JSON.stringify({ success: false, errors: [{ text }] });

export const LOCKED_TEXT = 'action not allowed: another user action in progress';
/** Refusals of a place for the moment, read as the client reads them. */
const REJECTIONS = {
  locked: { status: 423, text: LOCKED_TEXT },
  limited: { status: 429, text: 'API rate limit exceeded' },
} as const;

export function placeRejection(why: keyof typeof REJECTIONS): Outcome<never> {
  const { status, text } = REJECTIONS[why];
  const response = { status, headers: JSON_TYPE, body: failure(text) };
  return outcomeOfResponse('placeOrder', response, placementSchema) as Outcome<never>;
}

/** A list of positions that has nothing in it, as the client reads it: `null` says so, no data says nothing. */
export const emptyPositions = (
  body: '{"success":true,"data":null}' | '{"success":true}',
): Outcome<readonly PositionReport[]> =>
  listOutcome(
    outcomeOfResponse(
      'positions',
      { status: 200, headers: JSON_TYPE, body },
      positionsSchema('USDT'),
    ),
  );
