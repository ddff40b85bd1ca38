import type { z } from 'zod';
import type { HttpResponse } from '../../core/ports.js';
import type { Outcome } from '../../core/request.js';
import { readEnvelope, type VenueErrorText } from './envelope.js';
import { OPERATIONS, type Operation } from './operations.js';
import { rejectionCodeOf } from './rejection-texts.js';
import type { ListRows } from './wire-rows.js';

/** Statuses with which the venue says no; any other no is not believed (reliability 0.1). */
const REJECTING: ReadonlySet<number> = new Set([400, 404, 409, 423, 429]);
const FORBIDDEN = 403;

/** The class table of reliability 0.1. */
export function outcomeOf<T>(
  operation: Operation,
  response: HttpResponse,
  schema: z.ZodType<T>,
  objection: (value: T) => string | undefined = () => undefined,
): Outcome<T> {
  const { status } = response;
  const unknown = (cause: string): Outcome<T> => unknownAnswer(status, cause);
  const envelope = readEnvelope(response.body);
  if (envelope.kind === 'unreadable') return unknown(envelope.cause);
  if (envelope.kind === 'failure') {
    return rejectionOf(operation, status, envelope.errors) ?? unknown(shown(envelope.errors));
  }
  if (status < 200 || status > 299) return unknown('a success envelope with an error status');
  const value = schema.safeParse(envelope.data);
  if (!value.success) return unknown(`the data does not read: ${issueOf(value.error)}`);
  const against = objection(value.data);
  return against === undefined
    ? { kind: 'yes', value: value.data }
    : unknown(`the data does not read: ${against}`);
}

/** An answer that proves nothing. */
export const unknownAnswer = (
  status: number,
  cause: string,
): Extract<Outcome<never>, { kind: 'unknown' }> => ({
  kind: 'unknown',
  cause: `HTTP ${status}: ${cause}`,
  sent: true,
  status,
});

/** The value of a yes in another form. */
export const mapped = <T, U>(outcome: Outcome<T>, form: (value: T) => U): Outcome<U> =>
  outcome.kind === 'yes' ? { ...outcome, value: form(outcome.value) } : outcome;

/** A list as its rows, and beside them those that do not read. */
export function listed<Row>(outcome: Outcome<ListRows<Row>>): Outcome<readonly Row[]> {
  if (outcome.kind !== 'yes') return outcome;
  const { rows, unreadable } = outcome.value;
  return { kind: 'yes', value: rows, ...(unreadable.length > 0 && { unreadable }) };
}

/** A no only when the table knows every text of it. */
export function rejectionOf(
  operation: Operation,
  status: number,
  errors: readonly VenueErrorText[],
): Extract<Outcome<never>, { kind: 'no' }> | undefined {
  if (!believes(operation, status)) return undefined;
  const codes = errors.map(({ text }) => rejectionCodeOf(operation, status, text));
  const [code] = codes;
  if (code === undefined || codes.includes(undefined)) return undefined;
  return { kind: 'no', code, text: errors.map(({ text }) => text).join('; '), status };
}

/** What a 403 looks like is not documented: to a change it proves nothing, to a read it is an answer. */
const believes = (operation: Operation, status: number): boolean =>
  REJECTING.has(status) || (status === FORBIDDEN && OPERATIONS[operation].method === 'GET');

export const shown = (errors: readonly VenueErrorText[]): string =>
  errors.map(({ code, text }) => (code === undefined ? text : `${text} (${code})`)).join('; ');

function issueOf(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
}
