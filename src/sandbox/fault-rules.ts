import { matchPath } from './route.js';

/** Faults that stand alone; `423(n)`, `429(n)` and `reject(text)` carry an argument. */
export const FAULT_NAMES = [
  'req_lost',
  'resp_lost',
  'req_delay',
  'resp_delay',
  'dup_deliver',
  'reset_mid_body',
  'html_5xx',
  'html_404',
  '500_before',
  '500_after',
  'null_blip',
  'read_lag',
  'ws_drop',
] as const;
const FAULTS_WITH_ARGUMENT = ['423', '429', 'reject'] as const;

export type FaultName = (typeof FAULT_NAMES)[number] | (typeof FAULTS_WITH_ARGUMENT)[number];

/** One line of the fault list, checked. */
export interface FaultRule {
  /** As written: `POST /fapi/v2/futures/order`, `GET /futures/orders/*`, `*`, or `WS`. */
  readonly on: string;
  readonly name: FaultName;
  /** Of `reject(text)`. */
  readonly text: string;
  /** 0 … 1 of the matching requests. */
  readonly probability: number;
  /** How often it strikes at most. */
  readonly count: number;
  readonly delayMs: number;
}

/** A fault list cannot be read. The message names the entry and the key. */
export class FaultListError extends Error {
  override readonly name = 'FaultListError';
}

const KEYS = ['on', 'fault', 'probability', 'count', 'delay_ms'];
const METHODS = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', '*'];
const NEEDS_DELAY: readonly string[] = ['req_delay', 'resp_delay', 'read_lag'];
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
  const { name, argument } = parseName(fields['fault'], at);
  const on = parseOn(fields['on'], name, at);
  const delayMs = numberIn(fields['delay_ms'], 0, [0, MAX_DELAY_MS], `${at}.delay_ms`);
  if (NEEDS_DELAY.includes(name) && delayMs === 0) {
    throw new FaultListError(`${at}.delay_ms must be above 0 for ${name}`);
  }
  const repeats = name === '423' || name === '429' ? Number(argument || Infinity) : Infinity;
  const count = numberIn(fields['count'], repeats, [1, Infinity], `${at}.count`);
  return {
    on,
    name,
    text: argument,
    probability: numberIn(fields['probability'], 1, [0, 1], `${at}.probability`),
    count: Math.min(count, repeats),
    delayMs,
  };
}

function parseName(value: unknown, at: string): { name: FaultName; argument: string } {
  const text = typeof value === 'string' ? value : '';
  const plain = FAULT_NAMES.find((name) => name === text);
  if (plain !== undefined) return { name: plain, argument: '' };
  const repeated = /^(423|429)(?:\((\d+)\))?$/.exec(text);
  if (repeated !== null && repeated[2] !== '0') {
    return { name: repeated[1] === '423' ? '423' : '429', argument: repeated[2] ?? '' };
  }
  const refusal = /^reject\((.+)\)$/.exec(text)?.[1];
  if (refusal !== undefined) return { name: 'reject', argument: refusal };
  const known = [...FAULT_NAMES, '423(n)', '429(n)', 'reject(text)'].join(', ');
  throw new FaultListError(`${at}.fault ${JSON.stringify(value)} is unknown; faults are ${known}`);
}

function parseOn(value: unknown, name: FaultName, at: string): string {
  if (name === 'ws_drop') {
    if (value === 'WS') return value;
    throw new FaultListError(`${at}.on must be "WS" for ws_drop`);
  }
  if (value === '*') return value;
  const [method = '', path = '', ...rest] = typeof value === 'string' ? value.split(' ') : [];
  if (METHODS.includes(method) && path.startsWith('/') && rest.length === 0) return value as string;
  throw new FaultListError(
    `${at}.on ${JSON.stringify(value)} is not "METHOD /path" (like "POST /fapi/v2/futures/order") or "*"`,
  );
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
  if (rule.on === '*') return true;
  const [wantedMethod = '', written = ''] = rule.on.split(' ');
  if (wantedMethod !== '*' && wantedMethod !== method) return false;
  const pattern = written.startsWith('/fapi/') ? written : `/fapi/v1${written}`;
  if (pattern.endsWith('/*') && path.startsWith(pattern.slice(0, -1))) return true;
  return matchPath(pattern.replaceAll('*', '{any}'), path.split('/')) !== undefined;
}

/** As it came, for `GET /sandbox/faults`. */
export const faultWire = (rule: FaultRule, struck: number) => ({
  on: rule.on,
  fault: rule.text === '' ? rule.name : `${rule.name}(${rule.text})`,
  probability: rule.probability,
  count: Number.isFinite(rule.count) ? rule.count : null,
  delay_ms: rule.delayMs,
  struck,
});
