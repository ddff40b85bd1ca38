import { Decimal } from 'decimal.js';
import type { HttpRequest } from '../../../src/core/ports.js';
import { equal, fail } from '../expect.js';
import { bodyText, queryText } from '../http-driver.js';
import type { RawRequest } from '../venue-under-test.js';

/** Checks that the client sent all fields of the case. It may add defaults. */
export function expectSameRequest(request: RawRequest, sent: HttpRequest): void {
  const url = new URL(sent.url);
  equal(sent.method, request.method, 'the method that the client sends');
  equal(decodeURIComponent(url.pathname), decodeURIComponent(request.path), 'the path it sends');
  for (const [name, value] of new URLSearchParams(queryText(request.query))) {
    const own = url.searchParams.get(name);
    // Only the presence of `is_symbol` counts, and pairs are case-insensitive.
    const agrees = name === 'is_symbol' ? own !== null : own?.toLowerCase() === value.toLowerCase();
    if (!agrees && !sameDecimal(own, value)) fail(`the client sends ${name}=${value}`, own);
  }
  const body = JSON.parse(sent.body ?? '{}') as Readonly<Record<string, unknown>>;
  const expectedFields = JSON.parse(bodyText(request.body) ?? '{}') as Readonly<
    Record<string, unknown>
  >;
  for (const [name, value] of Object.entries(expectedFields)) {
    const own = body[name];
    if (own !== value && !sameDecimal(own, value)) fail(`the client sends ${name}`, own);
  }
}

function sameDecimal(own: unknown, value: unknown): boolean {
  try {
    return new Decimal(String(own)).eq(new Decimal(String(value)));
  } catch {
    return false;
  }
}
