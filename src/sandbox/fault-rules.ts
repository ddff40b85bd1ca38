import {
  FAULT_NAMES,
  faultEntry,
  faultForm,
  FAULTS_ELSEWHERE,
  type FaultName,
  type FaultPlace,
} from './fault-names.js';
import { matchParts } from './route.js';

/** One line of the fault list, checked. */
export interface FaultRule {
  /**
   * As written: `POST /fapi/v2/futures/order`, `GET /futures/orders/*`, `*`; `WS` or `WS` and the
   * beginning of a stream's name; `CLOCK`.
   */
  readonly on: string;
  readonly place: FaultPlace;
  readonly name: FaultName;
  /** What stands in the brackets: the text of `reject(text)`. */
  readonly argument: string;
  /** 0 … 1 of the matching requests. */
  readonly probability: number;
  /** How often it strikes at most. */
  readonly count: number;
  readonly delayMs: number;
  /** What a fault at the venue is about; undefined is every symbol. */
  readonly symbol: string | undefined;
  /** Of `CLOCK` faults: venue ms, from the epoch or from when the list was set. */
  readonly at: FaultTime | undefined;
}

export interface FaultTime {
  readonly ms: number;
  readonly isRelative: boolean;
}

/** A fault list cannot be read. The message names the entry and the key. */
export class FaultListError extends Error {
  override readonly name = 'FaultListError';
}

const KEYS = ['on', 'fault', 'probability', 'count', 'delay_ms', 'symbol'];
const METHODS = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', '*'];
const MAX_DELAY_MS = 86_400_000;

/**
 * Reads a fault list: `[{"on":"POST /fapi/v2/futures/order","fault":"resp_lost","probability":0.2,
 * "count":5,"delay_ms":0}]`. Only `on` and `fault` are required.
 * @throws FaultListError
 */
export function parseFaults(value: unknown): readonly FaultRule[] {
  if (!Array.isArray(value)) throw new FaultListError('the fault list is not a JSON array');
  return value.map((entry: unknown, index) => parseEntry(entry, `faults[${index}]`));
}

function parseEntry(entry: unknown, at: string): FaultRule {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new FaultListError(`${at} is not an object`);
  }
  const fields = entry as Readonly<Record<string, unknown>>;
  const unknownKey = Object.keys(fields).find((key) => !KEYS.includes(key));
  if (unknownKey !== undefined) {
    throw new FaultListError(
      `${at} has an unknown key "${unknownKey}"; keys are ${KEYS.join(', ')}`,
    );
  }
  const { name, argument, time } = parseName(fields['fault'], at);
  const place = placeOf(fields['on'], name, time, at);
  const delayMs = numberIn(fields['delay_ms'], 0, [0, MAX_DELAY_MS], `${at}.delay_ms`);
  if (faultEntry(name).needsDelay === true && delayMs === 0) {
    throw new FaultListError(`${at}.delay_ms must be above 0 for ${name}`);
  }
  const repeats = repeatsOf(name, argument, time);
  const count = numberIn(fields['count'], repeats, [1, Infinity], `${at}.count`);
  return {
    on: fields['on'] as string,
    place,
    name,
    argument,
    probability: numberIn(fields['probability'], 1, [0, 1], `${at}.probability`),
    count: Math.min(count, repeats),
    delayMs,
    symbol: parseSymbol(fields['symbol'], at),
    at: time,
  };
}

function repeatsOf(name: FaultName, argument: string, time: FaultTime | undefined): number {
  if (time !== undefined) return 1;
  const isCounted = name === '423' || name === '429' || name === 'ws_429';
  return isCounted ? Number(argument || Infinity) : Infinity;
}

interface ParsedName {
  readonly name: FaultName;
  readonly argument: string;
  readonly time: FaultTime | undefined;
}

function parseName(value: unknown, at: string): ParsedName {
  const text = typeof value === 'string' ? value : '';
  const [, word = '', when, argument] = /^(\w+)(?:@([^()]+))?(?:\((.*)\))?$/.exec(text) ?? [];
  if (FAULTS_ELSEWHERE.includes(word)) {
    throw new FaultListError(
      `${at}.fault ${word} befalls the bot's own process or disk, not the venue: ` +
        'the simulation (test/simulation) does it',
    );
  }
  const name = FAULT_NAMES.find((known) => known === word);
  if (name === undefined || !isFitting(name, argument)) {
    const known = FAULT_NAMES.map(faultForm).join(', ');
    throw new FaultListError(
      `${at}.fault ${JSON.stringify(value)} is unknown; faults are ${known}`,
    );
  }
  return { name, argument: argument ?? '', time: parseTime(when, at) };
}

function isFitting(name: FaultName, text: string | undefined): boolean {
  const { argument } = faultEntry(name);
  if (argument === undefined) return text === undefined;
  return text === undefined ? !argument.isRequired : argument.form.test(text);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

function parseTime(text: string | undefined, at: string): FaultTime | undefined {
  if (text === undefined) return undefined;
  const [, amount, unit = ''] = /^\+(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  if (amount !== undefined) return { ms: Number(amount) * (UNITS[unit] ?? 1), isRelative: true };
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/.test(text);
  const ms = isInstant ? Date.parse(text) : NaN;
  if (Number.isFinite(ms)) return { ms, isRelative: false };
  throw new FaultListError(
    `${at}.fault has the time "${text}"; write 2025-05-05T10:00:00Z, or +90s from when the list is set`,
  );
}

function placeOf(
  on: unknown,
  name: FaultName,
  time: FaultTime | undefined,
  at: string,
): FaultPlace {
  const { places } = faultEntry(name);
  const isFeed = typeof on === 'string' && /^WS(?: [A-Za-z0-9@]+)?$/.test(on);
  const place = isFeed ? 'feed' : on === 'CLOCK' ? 'clock' : 'request';
  if (!places.includes(place)) {
    const wanted = places.map((one) => PLACE_WORDS[one]).join(' or ');
    throw new FaultListError(`${at}.on must be ${wanted} for ${name}`);
  }
  if ((place === 'clock') !== (time !== undefined)) {
    throw new FaultListError(`${at}: "on":"CLOCK" goes with a time, as in "${name}@+90s"`);
  }
  if (place === 'request') checkRequest(on, at);
  return place;
}

const PLACE_WORDS: Readonly<Record<FaultPlace, string>> = {
  request: '"METHOD /path"',
  feed: '"WS"',
  clock: '"CLOCK"',
};

function checkRequest(on: unknown, at: string): void {
  if (on === '*') return;
  const [method = '', path = '', ...rest] = typeof on === 'string' ? on.split(' ') : [];
  if (METHODS.includes(method) && path.startsWith('/') && rest.length === 0) return;
  throw new FaultListError(
    `${at}.on ${JSON.stringify(on)} is not "METHOD /path" (like "POST /fapi/v2/futures/order") or "*"`,
  );
}

function parseSymbol(value: unknown, at: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^[A-Z0-9]{2,32}$/.test(value)) return value;
  throw new FaultListError(`${at}.symbol ${JSON.stringify(value)} is not a symbol like "BTCUSDT"`);
}

function numberIn(
  value: unknown,
  absent: number,
  [lowest, highest]: readonly [number, number],
  at: string,
): number {
  if (value === undefined) return absent;
  if (typeof value === 'number' && value >= lowest && value <= highest) return value;
  const range = highest === Infinity ? `${lowest} or more` : `${lowest} to ${highest}`;
  throw new FaultListError(`${at} ${JSON.stringify(value)} is not a number, ${range}`);
}

/** Whether a rule is about this request. Paths may leave out `/fapi/v1`; `*` stands for any segment, at the end for any rest. */
export function concerns(rule: FaultRule, method: string, path: string): boolean {
  if (rule.place !== 'request') return false;
  if (rule.on === '*') return true;
  const wanted = wantedBy(rule.on);
  if (wanted.method !== '*' && wanted.method !== method) return false;
  if (wanted.below !== undefined && path.startsWith(wanted.below)) return true;
  return matchParts(wanted.parts, path.split('/')) !== undefined;
}

interface WantedRequest {
  readonly method: string;
  /** What paths begin with that are meant too. */
  readonly below: string | undefined;
  readonly parts: readonly string[];
}

const MOST_KNOWN = 1_000;
const knownRequests = new Map<string, WantedRequest>();

/** Taken apart once: every request is compared with every rule. */
function wantedBy(on: string): WantedRequest {
  const known = knownRequests.get(on);
  if (known !== undefined) return known;
  const [method = '', written = ''] = on.split(' ');
  const pattern = written.startsWith('/fapi/') ? written : `/fapi/v1${written}`;
  const below = pattern.endsWith('/*') ? pattern.slice(0, -1) : undefined;
  const wanted = { method, below, parts: pattern.replaceAll('*', '{any}').split('/') };
  if (knownRequests.size < MOST_KNOWN) knownRequests.set(on, wanted);
  return wanted;
}

/** Whether a rule is about pushes of this stream: `WS` is about all, `WS kline@1m` about those names. */
export function concernsStream(rule: FaultRule, stream: string): boolean {
  if (rule.place !== 'feed') return false;
  const wanted = rule.on.slice('WS '.length);
  return wanted === '' || stream === wanted || stream.startsWith(`${wanted}@`);
}

/** As it came, for `GET /sandbox/faults`. */
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
