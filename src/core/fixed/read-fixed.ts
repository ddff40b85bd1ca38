import { FIXED_PLACES, fixedFromText, type Fixed } from './fixed.js';

/** undefined: the text is no decimal, or has more places. */
export function readFixed<Unit extends string>(
  text: string,
  places = FIXED_PLACES,
): Fixed<Unit> | undefined {
  try {
    return fixedFromText<Unit>(text, places);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
