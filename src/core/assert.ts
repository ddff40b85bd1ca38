/** A broken invariant of our own code. It ends the run; the next start reconciles. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

/**
 * Stays active in live trading: an impossible state must not trade.
 * @throws AssertionError that names the broken invariant
 */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** Closes a `switch` over a union: a new member without a case does not compile. */
export function assertNever(value: never): never {
  throw new AssertionError(`Unhandled case: ${JSON.stringify(value)}`);
}
