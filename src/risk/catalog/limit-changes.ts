import type { RiskLimits } from '../limits/risk-limits.js';
import { LIMIT_ENTRIES } from './limit-catalog.js';
import type { LimitUnit } from './limit-entry.js';
import { tightened } from './tightened.js';

/** One key below `risk:` with its value as the command line has it: `max_position_notional.usdt`, `500`. */
export interface LimitChange {
  readonly key: string;
  readonly value: string;
  /** Of a person. */
  readonly reason: string;
}

/** A limit that a person tightened, beside the configuration's. Values as the block writes them. */
export interface TightenedLimit {
  readonly key: string;
  readonly unit: LimitUnit;
  /** Of the configuration; null: no limit. */
  readonly from: string | null;
  readonly to: string;
  readonly reason: string;
}

/** Keys whose values are lists of names. */
const LISTS: ReadonlySet<string> = new Set(['symbols_allow', 'currencies_allow']);
const WHOLE_NUMBER = /^\d{1,15}$/;

/** The block of some keys, for `tightened`. */
export function changeBlock(
  changes: Iterable<Pick<LimitChange, 'key' | 'value'>>,
): Readonly<Record<string, unknown>> {
  const block: Record<string, unknown> = {};
  for (const { key, value } of changes) {
    const [group = '', ...rest] = key.split('.');
    const member = rest.join('.');
    const parsed = valueOf(key, value);
    if (member === '') block[group] = parsed;
    else block[group] = { ...(block[group] as object | undefined), [member]: parsed };
  }
  return block;
}

function valueOf(key: string, text: string): unknown {
  if (LISTS.has(key)) return text === '*' ? text : text.split(',').map((name) => name.trim());
  return WHOLE_NUMBER.test(text) ? Number(text) : text;
}

/**
 * The configured limits with the changes of a person, the oldest first. A group of keys that the configuration
 * makes as tight itself is left out.
 */
export function withChanges(
  configured: RiskLimits,
  changes: readonly LimitChange[],
): { readonly limits: RiskLimits; readonly tightened: readonly TightenedLimit[] } {
  let limits = configured;
  const reasons = new Map<string, string>();
  for (const change of changes) {
    const result = tightened(limits, changeBlock([change]));
    if (!result.ok) continue;
    limits = result.limits;
    for (const key of changedKeys(configured, limits))
      if (isBelow(key, change.key)) reasons.set(key, change.reason);
  }
  return { limits, tightened: tightenedLimits(configured, limits, reasons) };
}

const changedKeys = (before: RiskLimits, after: RiskLimits): readonly string[] =>
  LIMIT_ENTRIES.flatMap(({ key, read }) => (read(before) === read(after) ? [] : [key]));

/** `max_order_qty.BTCUSDT` changes `max_order_qty`. */
const isBelow = (key: string, change: string): boolean =>
  `${change}.`.startsWith(`${key}.`) || `${key}.`.startsWith(`${change}.`);

const tightenedLimits = (
  before: RiskLimits,
  after: RiskLimits,
  reasons: ReadonlyMap<string, string>,
): readonly TightenedLimit[] =>
  LIMIT_ENTRIES.flatMap(({ key, unit, read }) => {
    const [from, to] = [read(before), read(after)];
    if (from === to || to === undefined) return [];
    return [{ key, unit, from: from ?? null, to, reason: reasons.get(key) ?? '' }];
  });
