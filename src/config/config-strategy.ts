import { assert } from '../core/assert.js';
import { fixed, SCALE, type Ratio } from '../core/fixed/fixed.js';
import type { Interval } from '../core/interval.js';
import type { EntryStyle } from '../strategy/contract/entry-style.js';
import type { ApplyPolicy } from '../strategy/contract/entry-settings.js';
import type { ErrorPolicy } from '../strategy/host/error-policy.js';
import type { Protection } from '../strategy/contract/protection.js';
import type { Size } from '../strategy/target/size/sizing.js';
import type { Isolation, RawConfig, RunMode } from './config-schema.js';
import type { YamlSource } from './yaml-source.js';

/** A strategy as the file configures it. */
export interface StrategyConfig {
  readonly id: string;
  /** A shipped name, a file, a folder or a package; paths are relative to the config file. */
  readonly use: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  readonly leverage: Ratio;
  readonly size: Size;
  readonly protect: Protection;
  readonly entry: EntryStyle;
  /** When a changed size or stop applies to an open position. Absent: from the next entry on. */
  readonly apply?: ApplyPolicy;
  /** Treatment of its position when the strategy fails. */
  readonly onError?: ErrorPolicy;
  /** Where its code runs when it trades. Absent: on its own thread. */
  readonly isolation?: Isolation;
  /** Real ms that one call may take on that thread. Absent: 2,000. */
  readonly hookTimeoutMs?: number;
  /** Plain YAML values; the strategy's own schema validates them. */
  readonly params: Readonly<Record<string, unknown>>;
}

export function strategyFrom(
  { mode, strategies }: RawConfig,
  index: number,
  source: YamlSource,
): StrategyConfig {
  const raw = strategies[index];
  assert(raw !== undefined, 'A strategy has its index');
  return {
    id: raw.id,
    use: raw.use,
    symbols: raw.symbols,
    interval: raw.interval,
    leverage: raw.leverage ?? fixed<'ratio'>(SCALE),
    size: raw.size,
    protect: raw.protect,
    entry: raw.entry,
    apply: raw.apply,
    onError: raw.on_error ?? defaultPolicy(mode, raw.protect),
    isolation: raw.isolation,
    hookTimeoutMs: raw.hook_timeout,
    params: raw.params === undefined ? {} : paramsOf(source, index),
  };
}

/** A real position whose strategy fails gets its stop again, where the distance is known. */
const defaultPolicy = (mode: RunMode, { stopLossPct }: Protection): ErrorPolicy =>
  (mode === 'live' || mode === 'observe') && stopLossPct !== undefined ? 'protect' : 'hold';

const paramsOf = (source: YamlSource, index: number): Readonly<Record<string, unknown>> =>
  source.native(['strategies', index, 'params']) as Readonly<Record<string, unknown>>;
