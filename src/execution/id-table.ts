import { hash as digest } from 'node:crypto';

const WORDS = 4;
const INITIAL_SLOTS = 64;
const MAX_LOAD = 7 / 8;

/**
 * One code, 1 to 255, for each id. An id is its first 128 bits of SHA-256: two of a million ids share them
 * with a probability of 1e-27. Open addressing, 17 bytes a slot: an id as text in a map takes 100.
 */
export class IdTable {
  /** `WORDS` for each slot. */
  #digests = new Uint32Array(INITIAL_SLOTS * WORDS);
  /** 0: the slot is free. */
  #codes = new Uint8Array(INITIAL_SLOTS);
  #count = 0;

  /** 0: the id is not in the table. */
  get(id: string): number {
    if (this.#count === 0) return 0;
    return this.#codes[this.#slotOf(digestOf(id), 0)] ?? 0;
  }

  has(id: string): boolean {
    return this.get(id) !== 0;
  }

  /** Adds an id, or changes its code. */
  add(id: string, code = 1): void {
    if (this.#count + 1 > this.#codes.length * MAX_LOAD) this.#grow();
    this.#put(digestOf(id), 0, code);
  }

  #put(words: Uint32Array, from: number, code: number): void {
    const slot = this.#slotOf(words, from);
    if (this.#codes[slot] === 0) this.#count += 1;
    this.#codes[slot] = code;
    for (let word = 0; word < WORDS; word += 1)
      this.#digests[slot * WORDS + word] = words[from + word] as number;
  }

  /** Slot of a digest, or the free one that it would take. */
  #slotOf(words: Uint32Array, from: number): number {
    const last = this.#codes.length - 1;
    let slot = (words[from] as number) & last;
    while (this.#codes[slot] !== 0 && !this.#hasDigest(slot, words, from)) slot = (slot + 1) & last;
    return slot;
  }

  #hasDigest(slot: number, words: Uint32Array, from: number): boolean {
    for (let word = 0; word < WORDS; word += 1)
      if (this.#digests[slot * WORDS + word] !== words[from + word]) return false;
    return true;
  }

  #grow(): void {
    const [digests, codes] = [this.#digests, this.#codes];
    this.#digests = new Uint32Array(digests.length * 2);
    this.#codes = new Uint8Array(codes.length * 2);
    this.#count = 0;
    for (const [slot, code] of codes.entries())
      if (code !== 0) this.#put(digests, slot * WORDS, code);
  }
}

function digestOf(id: string): Uint32Array {
  const bytes = digest('sha256', id, 'buffer');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Uint32Array.from({ length: WORDS }, (_, word) => view.getUint32(word * 4));
}
