/** Smallest and largest letter of an id with a code. */
const [FIRST, LAST] = [97, 122];
const LETTERS = LAST - FIRST + 1;
const [ZERO, NINE] = [48, 57];
/** Digits of a number whose code is a safe integer. */
const MAX_DIGITS = 14;

/** An id of a small letter and a whole number, such as `b17`, as an integer; any other id: NaN. */
export function codeOfId(id: string): number {
  const { length } = id;
  const letter = id.charCodeAt(0);
  // Ids with a leading 0 would share the code of the same number without it.
  if (!(letter >= FIRST && letter <= LAST) || length > MAX_DIGITS + 1) return NaN;
  if (length < 2 || (id.charCodeAt(1) === ZERO && length > 2)) return NaN;
  let number = 0;
  for (let at = 1; at < length; at += 1) {
    const digit = id.charCodeAt(at);
    if (!(digit >= ZERO && digit <= NINE)) return NaN;
    number = number * 10 + (digit - ZERO);
  }
  return number * LETTERS + (letter - FIRST);
}

/** The id of a code. */
export const idOfCode = (code: number): string =>
  `${String.fromCharCode(FIRST + (code % LETTERS))}${Math.floor(code / LETTERS)}`;
