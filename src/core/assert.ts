/** A broken promise of our own code. It ends the run; the next start reconciles. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

/**
 * Stays on when live: a state that cannot be must not trade.
 * @throws AssertionError naming the broken promise
 */
export function assert(condition: unknown, promise: string): asserts condition {
  if (!condition) throw new AssertionError(promise);
}

/** Closes a `switch` over a union: a new member no one handles does not compile. */
export function assertNever(value: never): never {
  throw new AssertionError(`Unhandled case: ${JSON.stringify(value)}`);
}
