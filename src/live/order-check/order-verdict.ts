import { Decimal } from '../../core/fixed/decimal.js';
import type { SluiceConfig } from '../../config/config.js';
import { ZERO, type Price } from '../../core/fixed/fixed.js';
import { NO_EXPIRY, type OrderIntent } from '../../core/intent.js';
import type { OrderTerms } from '../../core/order.js';
import { createGate } from '../../risk/gate.js';
import { findControl } from '../../risk/catalog/control-catalog.js';
import type { Margin } from '../../risk/control.js';
import type { GateFacts } from '../../risk/facts.js';
import { judgeEach, type ControlJudgement } from '../../risk/judge-each.js';
import { enforces, type PresetName } from '../../risk/preset.js';

/** Comparison of one control, as `--json` prints it. */
export interface ControlRow {
  readonly control: string;
  readonly name: string;
  readonly key: string;
  readonly value: string | null;
  readonly limit: string | null;
  /** Distance from the value to the limit; below 0: beyond it. */
  readonly margin: string | null;
  readonly unit: string | null;
  /** `would refuse`: the preset does not enforce the control. */
  readonly verdict: 'passes' | 'refuses' | 'would refuse';
  readonly reason: string | null;
}

export interface JudgedOrder {
  readonly allowed: boolean;
  /** The gate's own words. */
  readonly text: string;
  readonly controls: readonly ControlRow[];
}

/** An entry of the strategy that owns the symbol, decided now. */
export function intentFor(terms: OrderTerms, config: SluiceConfig, facts: GateFacts): OrderIntent {
  const { symbol } = terms;
  const owner = config.strategies.find(({ symbols }) => symbols.includes(symbol));
  return {
    strategyId: owner?.id ?? 'operator',
    cause: { kind: 'candle', symbol, interval: owner?.interval ?? '1m', openTime: facts.venueTime },
    ordinal: 0,
    leg: 0,
    terms,
    referencePrice: facts.lastPrice(symbol) ?? (ZERO as Price),
    decidedAt: facts.venueTime,
    validUntil: NO_EXPIRY,
  };
}

/** Judges by the gate of the configuration, and by every control on its own. */
export function verdictOf(
  intent: OrderIntent,
  facts: GateFacts,
  { riskSettings }: Pick<SluiceConfig, 'riskSettings'>,
): JudgedOrder {
  const { preset, limits } = riskSettings;
  const verdict = createGate(riskSettings).judge(intent, facts);
  const controls = judgeEach(intent, facts, limits).flatMap((each) => rowsOf(each, preset));
  const name = verdict.ok ? '' : `${verdict.control}: `;
  return { allowed: verdict.ok, text: `${name}${verdict.explain()}`, controls };
}

function rowsOf(
  { control, key, refusal, margins }: ControlJudgement,
  preset: PresetName,
): readonly ControlRow[] {
  const refused = enforces(preset, control) ? 'refuses' : 'would refuse';
  const shared = {
    control,
    name: findControl(control)?.name ?? control,
    verdict: refusal === undefined ? 'passes' : refused,
    reason: refusal ?? null,
  } as const;
  if (margins.length === 0)
    return [{ ...shared, key, value: null, limit: null, margin: null, unit: null }];
  return margins.map((margin) => ({ ...shared, key: keyOf(key, margin), ...numbersOf(margin) }));
}

const keyOf = (key: string, { part }: Margin): string =>
  part === undefined ? key : `${key} (${part.replaceAll('_', ' ')})`;

function numbersOf({ value, limit, unit, least }: Margin) {
  const distance = new Decimal(limit).minus(value).times(least === true ? -1 : 1);
  const bound = least === true ? `at least ${limit}` : limit;
  return { value, limit: bound, unit, margin: distance.toFixed() };
}
