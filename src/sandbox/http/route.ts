import type { RouteReply } from './http-message.js';
import type { JsonBody } from './request-body.js';

/** One parsed request. */
export interface RouteCall {
  /** The path's `{…}` segments, decoded, by name. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** undefined when the body is not a JSON object. */
  readonly body: JsonBody | undefined;
  readonly bodyText: string;
}

export interface Route {
  readonly method: string;
  /** Literal and `{name}` segments. Of two matching routes the earlier in the table wins. */
  readonly path: string;
  readonly handle: (call: RouteCall) => RouteReply;
}

/**
 * The `{…}` segments of a path that matches a pattern, both split at slashes; undefined when it does
 * not match.
 */
export function matchParts(
  parts: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (parts.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? '';
    const segment = segments[index] ?? '';
    if (part.startsWith('{') && segment !== '') parameters[part.slice(1, -1)] = segment;
    else if (part !== segment) return undefined;
  }
  return parameters;
}

/** Decoded segments; undefined for a broken percent-escape. */
export function segmentsOf(path: string): readonly string[] | undefined {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
