import { Decimal } from 'decimal.js';
import type { HttpRequest } from '../../../src/core/ports.js';
import { equal, fail } from '../expect.js';
import { bodyText, queryText } from '../http-driver.js';
import type { RawRequest } from '../venue.js';

/** What the client sent says everything that the case asked for; it may say a default aloud. */
export function sayTheSame(request: RawRequest, sent: HttpRequest): void {
  const url = new URL(sent.url);
  equal(sent.method, request.method, 'the method that the client sends');
  equal(decodeURIComponent(url.pathname), decodeURIComponent(request.path), 'the path it sends');
  for (const [name, value] of new URLSearchParams(queryText(request.query))) {
    const own = url.searchParams.get(name);
    // Its presence alone is enough (interface, Endpoints); pairs are told in either case.
    const agrees = name === 'is_symbol' ? own !== null : own?.toLowerCase() === value.toLowerCase();
    if (!agrees && !sameDecimal(own, value)) fail(`the client sends ${name}=${value}`, own);
  }
  const body = JSON.parse(sent.body ?? '{}') as Readonly<Record<string, unknown>>;
  const wanted = JSON.parse(bodyText(request.body) ?? '{}') as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(wanted)) {
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
