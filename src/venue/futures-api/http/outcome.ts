import type { z } from 'zod';
import type { HttpResponse } from '../../../core/ports.js';
import type { Outcome } from '../../../core/request.js';
import { readEnvelope, type VenueErrorText } from './envelope.js';
import { OPERATIONS, type ApiOperation } from './operations.js';
import { rejectionCodeOf } from './rejection-texts.js';
import type { ParsedRows } from '../wire/wire-rows.js';
import { issueText } from '../wire/wire-value.js';

/** Statuses of rejections by the venue. A failure envelope with any other status is `unknown`. */
const REJECTION_STATUSES: ReadonlySet<number> = new Set([400, 404, 409, 423, 429]);
const FORBIDDEN = 403;

/** Classifies an answer as `yes`, `no` or `unknown`. */
export function outcomeOfResponse<T>(
  operation: ApiOperation,
  response: HttpResponse,
  schema: z.ZodType<T>,
  problemOf: (value: T) => string | undefined = () => undefined,
): Outcome<T> {
  const { status } = response;
  const unknown = (cause: string): Outcome<T> => unknownOutcome(status, cause);
  const envelope = readEnvelope(response.body);
  if (envelope.kind === 'unreadable') return unknown(envelope.cause);
  if (envelope.kind === 'failure') {
    return (
      rejectionOf(operation, status, envelope.errors) ?? unlistedOutcome(status, envelope.errors)
    );
  }
  if (status < 200 || status > 299) return unknown('a success envelope with an error status');
  const value = schema.safeParse(envelope.data);
  if (!value.success) return unknown(`the data is unreadable: ${issueText(value.error)}`);
  const problem = problemOf(value.data);
  return problem === undefined
    ? { kind: 'yes', value: value.data }
    : unknown(`the data is unreadable: ${problem}`);
}

/** An answer that proves nothing. */
export const unknownOutcome = (
  status: number,
  cause: string,
): Extract<Outcome<never>, { kind: 'unknown' }> => ({
  kind: 'unknown',
  cause: `HTTP ${status}: ${cause}`,
  sent: true,
  status,
});

/** 408, 409, 423, 425 and 429 pass, or speak of another request; 401 and 403 are about the key. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([401, 403, 408, 409, 423, 425, 429]);

/** A failure envelope without an entry in the rejection table. */
function unlistedOutcome(
  status: number,
  errors: readonly VenueErrorText[],
): Extract<Outcome<never>, { kind: 'unknown' }> {
  const isRefusal = status >= 400 && status <= 499 && !PASSING_STATUSES.has(status);
  return {
    ...unknownOutcome(status, errorsText(errors)),
    ...(isRefusal && { isUnlistedRefusal: true }),
  };
}

/** The outcome with its value transformed, if it is a `yes`. */
export const mapOutcome = <T, U>(outcome: Outcome<T>, transform: (value: T) => U): Outcome<U> =>
  outcome.kind === 'yes' ? { ...outcome, value: transform(outcome.value) } : outcome;

/** The readable rows of a list, with the unreadable ones beside them. */
export function listOutcome<Row>(outcome: Outcome<ParsedRows<Row>>): Outcome<readonly Row[]> {
  if (outcome.kind !== 'yes') return outcome;
  const { rows, unreadable } = outcome.value;
  return { kind: 'yes', value: rows, ...(unreadable.length > 0 && { unreadable }) };
}

/** A `no` only if the rejection table has every error text. */
export function rejectionOf(
  operation: ApiOperation,
  status: number,
  errors: readonly VenueErrorText[],
): Extract<Outcome<never>, { kind: 'no' }> | undefined {
  if (!isCredibleRejection(operation, status)) return undefined;
  const codes = errors.map(({ text }) => rejectionCodeOf(operation, status, text));
  const [code] = codes;
  if (code === undefined || codes.includes(undefined)) return undefined;
  return { kind: 'no', code, text: errors.map(({ text }) => text).join('; '), status };
}

/** The body of a 403 is undocumented: after a write it proves nothing, after a read it is a rejection. */
const isCredibleRejection = (operation: ApiOperation, status: number): boolean =>
  REJECTION_STATUSES.has(status) ||
  (status === FORBIDDEN && OPERATIONS[operation].method === 'GET');

export const errorsText = (errors: readonly VenueErrorText[]): string =>
  errors.map(({ code, text }) => (code === undefined ? text : `${text} (${code})`)).join('; ');
