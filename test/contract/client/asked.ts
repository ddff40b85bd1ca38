import { fixedFromText, type Fixed } from '../../../src/core/fixed.js';
import type { Currency } from '../../../src/core/currency.js';
import { bodyText, queryText } from '../http-driver.js';
import type { RawRequest } from '../venue.js';

/** The typed methods cannot say this request: it goes out raw. */
export class Inexpressible extends Error {
  override readonly name = 'Inexpressible';
}

export function inexpressible(why: string): never {
  throw new Inexpressible(why);
}

/** The fields of a query or a body, each to be taken once: what is left over has no place in the types. */
export class Asked {
  readonly #left: Map<string, unknown>;

  constructor(entries: Iterable<readonly [string, unknown]>) {
    this.#left = new Map();
    for (const [name, value] of entries) {
      if (this.#left.has(name)) inexpressible(`${name} twice`);
      this.#left.set(name, value);
    }
  }

  static query(request: RawRequest): Asked {
    return new Asked(new URLSearchParams(queryText(request.query)));
  }

  static body(request: RawRequest): Asked {
    const text = bodyText(request.body);
    if (text === undefined) return new Asked([]);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return inexpressible('the body is not JSON');
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return inexpressible('the body is no object');
    }
    return new Asked(Object.entries(value));
  }

  take(name: string): unknown {
    const value = this.#left.get(name);
    this.#left.delete(name);
    return value;
  }

  /** One of the words, or absent. */
  word<T extends string>(name: string, words: readonly T[]): T | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    return words.find((word) => word === value) ?? inexpressible(`${name} is another word`);
  }

  text(name: string): string | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === 'string') return value;
    return inexpressible(`${name} is no text`);
  }

  flag(name: string): boolean {
    const value = this.take(name) ?? false;
    return typeof value === 'boolean' ? value : inexpressible(`${name} is no boolean`);
  }

  decimal<Unit extends string>(name: string): Fixed<Unit> | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string' && typeof value !== 'number') inexpressible(`${name} is neither`);
    try {
      return fixedFromText(String(value));
    } catch {
      return inexpressible(`${name} is no decimal of the ledger`);
    }
  }

  needed<T>(value: T | undefined, name: string): T {
    return value ?? inexpressible(`${name} is missing`);
  }

  whole(name: string): number | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    return /^\d+$/.test(String(value)) ? Number(value) : inexpressible(`${name} is no count`);
  }

  currency(name = 'trade_currency'): Currency {
    return this.word(name, ['USDT', 'INR']) ?? 'USDT';
  }

  range(): { readonly limit?: number; readonly offset?: number } {
    const limit = this.whole('limit');
    const offset = this.whole('offset');
    return {
      ...(limit === undefined ? {} : { limit }),
      ...(offset === undefined ? {} : { offset }),
    };
  }

  /** Nothing is left over. */
  end(): void {
    const [name] = this.#left.keys();
    if (name !== undefined) inexpressible(`${name} has no place in the types`);
  }
}
