import type { KeptCell, StateWrite } from '../host/state-cell.js';
import type { FormFacts, StateOffer } from './call.js';

/** A state that lies on a strategy's thread; here is what its last call did to it. */
class ThreadCell implements KeptCell {
  readonly fault: string | undefined;
  readonly #undone: () => void;
  offer: StateOffer | undefined;

  constructor(fault: string | undefined, undone: () => void) {
    this.fault = fault;
    this.#undone = undone;
  }

  take(): StateWrite | undefined {
    const { offer } = this;
    this.offer = undefined;
    if (offer !== undefined && 'fault' in offer) throw new RangeError(offer.fault);
    return offer?.write;
  }

  /** What was taken stands, and what threw was undone there. */
  undo(): void {
    if (this.offer !== undefined && 'write' in this.offer) this.#undone();
    this.offer = undefined;
  }
}

/** The states of one strategy, by key: a symbol, or `*` for all of them. */
export class ThreadCells {
  readonly #cells: ReadonlyMap<string, ThreadCell>;
  readonly #all: readonly ThreadCell[];
  readonly #undone = new Set<string>();

  constructor(cells: FormFacts['cells']) {
    this.#cells = new Map(
      cells.map(({ key, fault }) => [key, new ThreadCell(fault, () => this.#undone.add(key))]),
    );
    this.#all = [...this.#cells.values()];
  }

  of(symbol?: string): readonly KeptCell[] {
    if (symbol === undefined || this.#all.length === 0) return this.#all;
    const cell = this.#cells.get(symbol) ?? this.#cells.get('*');
    return cell === undefined ? [] : [cell];
  }

  /** Those whose last change does not count; the next call tells it. */
  takeUndone(): readonly string[] {
    if (this.#undone.size === 0) return NONE;
    const undone = [...this.#undone];
    this.#undone.clear();
    return undone;
  }

  see(offers: readonly StateOffer[]): void {
    for (const cell of this.#all) cell.offer = undefined;
    for (const offer of offers) {
      const cell = this.#cells.get(offer.key);
      if (cell !== undefined) cell.offer = offer;
    }
  }
}

const NONE: readonly string[] = [];
