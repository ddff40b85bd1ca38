/** A value, or the reason why it cannot be read. */
export type Reading<T> = { readonly value: T } | { readonly fault: string };

/** A failed read is a fact too: the interlock fails with it. @param what failed, as the beginning of a sentence */
export async function reading<T>(read: () => Promise<T>, what: string): Promise<Reading<T>> {
  try {
    return { value: await read() };
  } catch (error) {
    return { fault: `${what}: ${error instanceof Error ? error.message : String(error)}` };
  }
}
