import { isReduction } from './size/next-leg.js';
import { fixedFromText, sign, textFromFixed, type Quantity } from '../../core/fixed/fixed.js';
import type {
  PersistedState,
  ExternalChangeSource,
  StrategyPort,
} from '../contract/strategy-port.js';

/** A target in the unit of the strategy's request. */
export interface TargetValue {
  readonly unit: 'conviction' | 'quantity';
  /** A conviction is −1 to 1, a quantity is signed base units. */
  readonly value: number;
}

/** A target as persisted over a restart. */
export interface TargetRecord extends TargetValue {
  /** Signed quantity; undefined: it must be sized again. */
  readonly desired: Quantity | undefined;
  /** Reason of a hold: no order toward the target until the strategy requests another one. */
  readonly held?: string;
  /** Source of the change that caused the hold; absent with `held`. */
  readonly by?: ExternalChangeSource;
}

/** Format of the text. A text of another version is ignored, so its target is not restored. */
const VERSION = 1;

export const targetStateKey = (symbol: string): string => `target:${symbol}`;

/** undefined: none was persisted, or in another format. */
export function parseTarget(persisted: PersistedState | undefined): TargetRecord | undefined {
  if (persisted === undefined || persisted.version !== VERSION) return undefined;
  const { desired, ...rest } = JSON.parse(persisted.value) as Omit<TargetRecord, 'desired'> & {
    readonly desired?: string;
  };
  return { ...rest, desired: desired === undefined ? undefined : fixedFromText(desired) };
}

function targetText({ unit, value, desired, held, by }: TargetRecord): string {
  return JSON.stringify({
    unit,
    value,
    ...(desired !== undefined && { desired: textFromFixed(desired) }),
    ...(held !== undefined && { held }),
    ...(by !== undefined && { by }),
  });
}

/**
 * Holds the target of a strategy that does not run, after a reduction of its position. Otherwise the
 * strategy would open that part again at its next start.
 * @param now signed position
 * @param before signed position before the reduction; undefined: the target's quantity
 * @returns undefined when the target does not change
 */
export function suspendedTarget(
  persisted: PersistedState | undefined,
  {
    now,
    before,
    by,
  }: {
    readonly now: Quantity;
    readonly before: Quantity | undefined;
    readonly by: ExternalChangeSource;
  },
): PersistedState | undefined {
  const target = parseTarget(persisted);
  const previous = before ?? target?.desired;
  if (target === undefined || target.held !== undefined || previous === undefined) return undefined;
  if (!isReduction(now, previous) || target.value * sign(previous) <= 0) return undefined;
  const held = `its position was closed or reduced by ${by === 'hand' ? 'hand' : 'the venue'}`;
  return { version: VERSION, value: targetText({ ...target, held, by }) };
}

/** The last target of one symbol, within the durable state of its strategy. */
export class PersistedTarget {
  readonly #port: StrategyPort;
  readonly #key: string;

  constructor(port: StrategyPort, symbol: string) {
    this.#port = port;
    this.#key = targetStateKey(symbol);
  }

  read(): TargetRecord | undefined {
    return parseTarget(this.#port.persisted(this.#key));
  }

  /** Durable together with the event's other records; a backtest writes nothing. */
  write(target: TargetRecord): void {
    if (!this.#port.isDurable) return;
    const text = targetText(target);
    if (this.#port.persisted(this.#key)?.value === text) return;
    this.#port.persist(this.#key, { version: VERSION, value: text });
  }
}
