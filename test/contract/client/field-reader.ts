import { fixedFromText, type Fixed } from '../../../src/core/fixed/fixed.js';
import type { Currency } from '../../../src/core/currency.js';
import { bodyText, queryText } from '../http-driver.js';
import type { RawRequest } from '../venue-under-test.js';

/** The typed methods cannot express this request, so it is sent raw. */
export class UntypedRequest extends Error {
  override readonly name = 'UntypedRequest';
}

export function failUntyped(why: string): never {
  throw new UntypedRequest(why);
}

/** The fields of a query or a body. Fields that no reader takes cannot be expressed by the types. */
export class FieldReader {
  readonly #remaining: Map<string, unknown>;

  constructor(entries: Iterable<readonly [string, unknown]>) {
    this.#remaining = new Map();
    for (const [name, value] of entries) {
      if (this.#remaining.has(name)) failUntyped(`${name} twice`);
      this.#remaining.set(name, value);
    }
  }

  static query(request: RawRequest): FieldReader {
    return new FieldReader(new URLSearchParams(queryText(request.query)));
  }

  static body(request: RawRequest): FieldReader {
    const text = bodyText(request.body);
    if (text === undefined) return new FieldReader([]);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return failUntyped('the body is not JSON');
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return failUntyped('the body is no object');
    }
    return new FieldReader(Object.entries(value));
  }

  take(name: string): unknown {
    const value = this.#remaining.get(name);
    this.#remaining.delete(name);
    return value;
  }

  /** One of the values, or absent. */
  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    return values.find((oneOf) => oneOf === value) ?? failUntyped(`${name} is another value`);
  }

  text(name: string): string | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === 'string') return value;
    return failUntyped(`${name} is no text`);
  }

  flag(name: string): boolean {
    const value = this.take(name) ?? false;
    return typeof value === 'boolean' ? value : failUntyped(`${name} is no boolean`);
  }

  decimal<Unit extends string>(name: string): Fixed<Unit> | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string' && typeof value !== 'number') failUntyped(`${name} is neither`);
    try {
      return fixedFromText(String(value));
    } catch {
      return failUntyped(`${name} is no decimal of the ledger`);
    }
  }

  needed<T>(value: T | undefined, name: string): T {
    return value ?? failUntyped(`${name} is missing`);
  }

  whole(name: string): number | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    return /^\d+$/.test(String(value)) ? Number(value) : failUntyped(`${name} is no count`);
  }

  currency(name = 'trade_currency'): Currency {
    return this.oneOf(name, ['USDT', 'INR']) ?? 'USDT';
  }

  range(): { readonly limit?: number; readonly offset?: number } {
    const limit = this.whole('limit');
    const offset = this.whole('offset');
    return {
      ...(limit === undefined ? {} : { limit }),
      ...(offset === undefined ? {} : { offset }),
    };
  }

  /** Fails if a field is left over. */
  end(): void {
    const [name] = this.#remaining.keys();
    if (name !== undefined) failUntyped(`${name} has no place in the types`);
  }
}
