import { MARKET_STREAMS } from '../contract/definition.js';
import { failureLocation } from '../host/failure-location.js';
import { nearest } from '../../core/suggestion.js';

/** A fault and its place: `file:line:column`, or the known part of it. */
export interface LoadFault {
  readonly text: string;
  readonly place: string;
}

const PARSE_ERROR = /^ParseError: ([\s\S]*?)\s+(\S.*):(\d+):(\d+)\s*$/;

/**
 * Columns count from 1; the compiler's count from 0.
 * @param known names that `sluice/strategy` exports
 */
export function failureOf(
  cause: unknown,
  {
    file,
    source,
    known,
  }: { readonly file: string; readonly source: string; readonly known: readonly string[] },
): LoadFault {
  const message = messageOf(cause);
  const [, text, where, line, column] = PARSE_ERROR.exec(message) ?? [];
  if (text !== undefined)
    return { text: text.trim(), place: `${where}:${line}:${Number(column) + 1}` };
  const missing = missingImport(source, known);
  if (cause instanceof TypeError && missing !== undefined)
    return { text: missing.text, place: `${file}:${missing.line}` };
  return {
    text: message.split('\nRequire stack:')[0] ?? message,
    place: failureLocation(cause) ?? file,
  };
}

const CONTRACT_IMPORT = /^import\s*\{([^}]*)\}\s*from\s*['"]sluice\/strategy['"]/m;

/** A name that is imported from the contract and is not there: it is undefined where it is used. */
function missingImport(
  source: string,
  known: readonly string[],
): { readonly text: string; readonly line: number } | undefined {
  const found = CONTRACT_IMPORT.exec(source);
  if (found === null) return undefined;
  const name = (found[1] ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '' && !each.startsWith('type '))
    .map((each) => each.split(/\s+as\s+/)[0] ?? each)
    .find((each) => !known.includes(each) && new RegExp(`\\b${each}\\s*[.(]`).test(source));
  if (name === undefined) return undefined;
  const suggestion = nearest(name, known);
  const hint =
    suggestion === undefined ? `it has ${known.join(', ')}` : `do you mean ${suggestion}?`;
  return {
    text: `sluice/strategy has no "${name}"; ${hint}`,
    line: lineAt(source, found.index + found[0].indexOf(name)),
  };
}

/** Line of the default export, from 1; the first line when there is none. */
export function defaultLine(source: string): number {
  const found = /^\s*export\s+default\b|^\s*module\.exports\b/m.exec(source);
  return found === null ? 1 : lineAt(source, found.index + found[0].search(/\S/));
}

const lineAt = (source: string, index: number): number => source.slice(0, index).split('\n').length;

/** Unwraps the default export of a CommonJS package. */
export function defaultOf(module: unknown): unknown {
  const outer = isObject(module) && 'default' in module ? module['default'] : undefined;
  return isObject(outer) && !('name' in outer) && 'default' in outer ? outer['default'] : outer;
}

export function definitionFault(exported: unknown): string | undefined {
  if (exported === undefined) return 'there is none';
  if (!isObject(exported)) return `it is a ${typeof exported}`;
  if (typeof exported['name'] !== 'string' || exported['name'] === '') return 'it has no name';
  const { params, create, intents, streams } = exported;
  if (!isObject(params) || typeof params['safeParse'] !== 'function')
    return 'its params are not a zod schema (z.object({ … }))';
  if (typeof create !== 'function' && typeof intents !== 'function')
    return 'it has neither create nor intents';
  if (streams !== undefined && !areStreams(streams))
    return `its streams are not a list of ${MARKET_STREAMS.join(', ')}`;
  return create !== undefined && intents !== undefined
    ? 'it has both create and intents: choose one'
    : undefined;
}

const areStreams = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((each) => (MARKET_STREAMS as readonly unknown[]).includes(each));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
