/**
 * A naive model of one position and of all that may still happen to it, written from the interface only. It shares
 * no code with `src/`: whole numbers, and no rule beside the two below.
 *
 * - An order trades its quantity. A reduce-only order trades at most the opposite position, and nothing without one
 *   (interface: order create, `reduce_only`).
 * - A position may be closed at any moment: by its stop, by a liquidation, by a person.
 */
export interface Trade {
  /** Quantity that may still trade, above 0 for a buy and below 0 for a sell. */
  readonly quantity: number;
  readonly reduceOnly: boolean;
}

/** Alternatives, of which one may land: an order and the fence under its id, a buy and a sell of a person. */
export type Landing = readonly Trade[];

/** Extremes of the positions of every history. */
export interface Reach {
  readonly lowest: number;
  readonly highest: number;
}

/** Books up to this size also fill in parts. More parts than this change no extreme, and cost time. */
const SMALL_BOOK = 4;

/** Every subset of the landings in every order: at most 12 of them, between −`SPAN` and `SPAN`. */
export function reachOf(start: readonly number[], landings: readonly Landing[]): Reach {
  const subsets = 1 << landings.length;
  const seen = new Uint8Array(subsets * WIDTH);
  const positions: number[][] = Array.from({ length: subsets }, () => []);
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  const reached = (subset: number, position: number): void => {
    const at = subset * WIDTH + position + SPAN;
    if (seen[at] === 1) return;
    seen[at] = 1;
    positions[subset]?.push(position);
    lowest = Math.min(lowest, position);
    highest = Math.max(highest, position);
    // The position is closed.
    if (position !== 0) reached(subset, 0);
  };
  for (const position of start) reached(0, position);
  const landsInParts = landings.length <= SMALL_BOOK;
  for (let subset = 0; subset < subsets; subset += 1) {
    for (const position of positions[subset] ?? []) {
      for (const [index, landing] of landings.entries()) {
        if ((subset & (1 << index)) !== 0) continue;
        for (const { quantity, reduceOnly } of landing)
          for (const part of landsInParts ? partsOf(quantity) : [quantity])
            reached(subset | (1 << index), landed(position, { quantity: part, reduceOnly }));
      }
    }
  }
  return { lowest, highest };
}

/** Larger than any position that 12 landings can reach. */
const SPAN = 150;
const WIDTH = 2 * SPAN + 1;

/** The position after one landing. */
export function landed(position: number, { quantity, reduceOnly }: Trade): number {
  if (!reduceOnly) return position + quantity;
  if (position * quantity >= 0) return position;
  return Math.abs(quantity) >= Math.abs(position) ? 0 : position + quantity;
}

const partsOf = (quantity: number): readonly number[] =>
  Array.from({ length: Math.abs(quantity) }, (_, part) => Math.sign(quantity) * (part + 1));
