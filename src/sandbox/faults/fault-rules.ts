import {
  FAULT_NAMES,
  faultEntry,
  faultSyntax,
  PROCESS_FAULTS,
  type FaultName,
  type FaultScope,
} from './fault-names.js';
import { matchParts } from '../http/route.js';

/** One validated entry of the fault list (docs/sandbox.md): the requests, pushes or time it applies to. */
export interface FaultRule {
  /**
   * As written: `POST /fapi/v2/futures/order`, `GET /futures/orders/*` or `*` for requests; `WS`, or `WS`
   * with the start of a stream name, for the feed; `CLOCK` for venue times.
   */
  readonly on: string;
  readonly scope: FaultScope;
  readonly name: FaultName;
  /** Argument in brackets: the text of `reject(text)`. */
  readonly argument: string;
  /** Share of the matching requests, 0 to 1. */
  readonly probability: number;
  /** Maximum number of applications; Infinity: no limit. */
  readonly count: number;
  /** ms of the sandbox's clock: lateness or duration, depending on the fault. */
  readonly delayMs: number;
  /** Symbol of a fault at the venue; undefined: every symbol. */
  readonly symbol: string | undefined;
  /** Venue ms of a `CLOCK` fault, since the epoch or since the list was set. */
  readonly at: FaultTime | undefined;
}

export interface FaultTime {
  readonly ms: number;
  /** Counts from the moment the list was set, not from the epoch. */
  readonly isRelative: boolean;
}

/** The fault list is invalid. The message names the entry and the key. */
export class FaultListError extends Error {
  override readonly name = 'FaultListError';
}

const KEYS = ['on', 'fault', 'probability', 'count', 'delay_ms', 'symbol'];
const METHODS = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', '*'];
/** One day. */
const MAX_DELAY_MS = 86_400_000;

/**
 * Parses a fault list: `[{"on":"POST /fapi/v2/futures/order","fault":"resp_lost","probability":0.2,
 * "count":5,"delay_ms":0}]`. Only `on` and `fault` are required.
 * @throws FaultListError
 */
export function parseFaults(value: unknown): readonly FaultRule[] {
  if (!Array.isArray(value)) throw new FaultListError('the fault list is not a JSON array');
  return value.map((entry: unknown, index) => parseEntry(entry, `faults[${index}]`));
}

/** @param where position of the entry in the list, for messages: `faults[0]` */
function parseEntry(entry: unknown, where: string): FaultRule {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new FaultListError(`${where} is not an object`);
  }
  const fields = entry as Readonly<Record<string, unknown>>;
  const unknownKey = Object.keys(fields).find((key) => !KEYS.includes(key));
  if (unknownKey !== undefined) {
    throw new FaultListError(
      `${where} has an unknown key "${unknownKey}"; keys are ${KEYS.join(', ')}`,
    );
  }
  const { name, argument, time } = parseName(fields['fault'], where);
  const scope = scopeOf(fields['on'], name, time, where);
  const delayMs = numberIn(fields['delay_ms'], 0, [0, MAX_DELAY_MS], `${where}.delay_ms`);
  if (faultEntry(name).needsDelay === true && delayMs === 0) {
    throw new FaultListError(`${where}.delay_ms must be above 0 for ${name}`);
  }
  const maxCount = maxCountOf(name, argument, time);
  const count = numberIn(fields['count'], maxCount, [1, Infinity], `${where}.count`);
  return {
    on: fields['on'] as string,
    scope,
    name,
    argument,
    probability: numberIn(fields['probability'], 1, [0, 1], `${where}.probability`),
    count: Math.min(count, maxCount),
    delayMs,
    symbol: parseSymbol(fields['symbol'], where),
    at: time,
  };
}

/** A fault at a time happens once. The argument of `423(n)`, `429(n)` and `ws_429(n)` is a number of times. */
function maxCountOf(name: FaultName, argument: string, time: FaultTime | undefined): number {
  if (time !== undefined) return 1;
  const isCounted = name === '423' || name === '429' || name === 'ws_429';
  return isCounted ? Number(argument || Infinity) : Infinity;
}

interface ParsedName {
  readonly name: FaultName;
  readonly argument: string;
  readonly time: FaultTime | undefined;
}

function parseName(value: unknown, where: string): ParsedName {
  const text = typeof value === 'string' ? value : '';
  const [, faultName = '', when, argument] = /^(\w+)(?:@([^()]+))?(?:\((.*)\))?$/.exec(text) ?? [];
  if (PROCESS_FAULTS.includes(faultName)) {
    throw new FaultListError(
      `${where}.fault ${faultName} is a fault of the bot's own process or disk, not of the venue: ` +
        'the simulation (test/simulation) has it',
    );
  }
  const name = FAULT_NAMES.find((known) => known === faultName);
  if (name === undefined || !acceptsArgument(name, argument)) {
    const known = FAULT_NAMES.map(faultSyntax).join(', ');
    throw new FaultListError(
      `${where}.fault ${JSON.stringify(value)} is unknown; faults are ${known}`,
    );
  }
  return { name, argument: argument ?? '', time: parseTime(when, where) };
}

function acceptsArgument(name: FaultName, text: string | undefined): boolean {
  const { argument } = faultEntry(name);
  if (argument === undefined) return text === undefined;
  return text === undefined ? !argument.isRequired : argument.pattern.test(text);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

function parseTime(text: string | undefined, where: string): FaultTime | undefined {
  if (text === undefined) return undefined;
  const [, amount, unit = ''] = /^\+(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  if (amount !== undefined) return { ms: Number(amount) * (UNITS[unit] ?? 1), isRelative: true };
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/.test(text);
  const ms = isInstant ? Date.parse(text) : NaN;
  if (Number.isFinite(ms)) return { ms, isRelative: false };
  throw new FaultListError(
    `${where}.fault has the time "${text}"; write 2025-05-05T10:00:00Z, or +90s from when the list is set`,
  );
}

function scopeOf(
  on: unknown,
  name: FaultName,
  time: FaultTime | undefined,
  where: string,
): FaultScope {
  const { scopes } = faultEntry(name);
  const isFeed = typeof on === 'string' && /^WS(?: [A-Za-z0-9@]+)?$/.test(on);
  const scope = isFeed ? 'feed' : on === 'CLOCK' ? 'clock' : 'request';
  if (!scopes.includes(scope)) {
    const expected = scopes.map((one) => SCOPE_LABELS[one]).join(' or ');
    throw new FaultListError(`${where}.on must be ${expected} for ${name}`);
  }
  if ((scope === 'clock') !== (time !== undefined)) {
    throw new FaultListError(
      `${where}: "on":"CLOCK" and a time belong together, as in "${name}@+90s"`,
    );
  }
  if (scope === 'request') checkRequest(on, where);
  return scope;
}

const SCOPE_LABELS: Readonly<Record<FaultScope, string>> = {
  request: '"METHOD /path"',
  feed: '"WS"',
  clock: '"CLOCK"',
};

function checkRequest(on: unknown, where: string): void {
  if (on === '*') return;
  const [method = '', path = '', ...rest] = typeof on === 'string' ? on.split(' ') : [];
  if (METHODS.includes(method) && path.startsWith('/') && rest.length === 0) return;
  throw new FaultListError(
    `${where}.on ${JSON.stringify(on)} is not "METHOD /path" (like "POST /fapi/v2/futures/order") or "*"`,
  );
}

function parseSymbol(value: unknown, where: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^[A-Z0-9]{2,32}$/.test(value)) return value;
  throw new FaultListError(
    `${where}.symbol ${JSON.stringify(value)} is not a symbol like "BTCUSDT"`,
  );
}

function numberIn(
  value: unknown,
  fallback: number,
  [lowest, highest]: readonly [number, number],
  where: string,
): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && value >= lowest && value <= highest) return value;
  const range = highest === Infinity ? `${lowest} or more` : `${lowest} to ${highest}`;
  throw new FaultListError(`${where} ${JSON.stringify(value)} is not a number, ${range}`);
}

/** Paths may omit `/fapi/v1`. `*` matches any segment, and at the end any rest of the path. */
export function matchesRequest(rule: FaultRule, method: string, path: string): boolean {
  if (rule.scope !== 'request') return false;
  if (rule.on === '*') return true;
  const pattern = patternOf(rule.on);
  if (pattern.method !== '*' && pattern.method !== method) return false;
  if (pattern.prefix !== undefined && path.startsWith(pattern.prefix)) return true;
  return matchParts(pattern.parts, path.split('/')) !== undefined;
}

interface RequestPattern {
  readonly method: string;
  /** Start of every matching path, for a rule that ends in `/*`. */
  readonly prefix: string | undefined;
  readonly parts: readonly string[];
}

/** Bounds the memory of a sandbox whose fault list is set again and again. */
const MAX_CACHED_PATTERNS = 1_000;
const patternCache = new Map<string, RequestPattern>();

/** Parsed once, since every request is compared with every rule. */
function patternOf(on: string): RequestPattern {
  const cached = patternCache.get(on);
  if (cached !== undefined) return cached;
  const [method = '', written = ''] = on.split(' ');
  const pattern = written.startsWith('/fapi/') ? written : `/fapi/v1${written}`;
  const prefix = pattern.endsWith('/*') ? pattern.slice(0, -1) : undefined;
  const parsed = { method, prefix, parts: pattern.replaceAll('*', '{any}').split('/') };
  if (patternCache.size < MAX_CACHED_PATTERNS) patternCache.set(on, parsed);
  return parsed;
}

/** `WS` matches every stream, `WS kline@1m` those whose names begin so. */
export function matchesStream(rule: FaultRule, stream: string): boolean {
  if (rule.scope !== 'feed') return false;
  const prefix = rule.on.slice('WS '.length);
  return prefix === '' || stream === prefix || stream.startsWith(`${prefix}@`);
}

/**
 * The rule as it was written, for `GET /sandbox/faults`.
 * @param struck number of applications so far
 */
export const faultWire = (rule: FaultRule, struck: number) => ({
  on: rule.on,
  fault: faultText(rule),
  probability: rule.probability,
  count: Number.isFinite(rule.count) ? rule.count : null,
  delay_ms: rule.delayMs,
  ...(rule.symbol !== undefined && { symbol: rule.symbol }),
  struck,
});

function faultText({ name, argument, at }: FaultRule): string {
  const time = at === undefined ? '' : timeText(at);
  return `${name}${time}${argument === '' ? '' : `(${argument})`}`;
}

const timeText = ({ ms, isRelative }: FaultTime): string =>
  isRelative ? `@+${ms}ms` : `@${new Date(ms).toISOString()}`;
