import { Decimal } from '../../core/fixed/decimal.js';
import { decimalFromFixed, type Fixed } from '../../core/fixed/fixed.js';
import type { ControlId } from '../control-id.js';
import type { RiskLimits } from '../limits/risk-limits.js';

/** Unit of a limit's value as the `risk:` block writes it. `x`: a multiple. */
export type LimitUnit =
  | 'USDT'
  | '% of equity'
  | '% of price'
  | '% of gross exposure'
  | 'x equity'
  | 'bps'
  | 'ms'
  | 'orders'
  | 'events'
  | 'x'
  | 'base units'
  | '';

/**
 * Direction in which a limit becomes tighter.
 *
 * - `lower`, `higher`: a smaller or a larger number. An absent value is no limit.
 * - `subset`: fewer names of a list; `*` is every name.
 * - `per-symbol`: smaller numbers by symbol or strategy; an absent one has no limit.
 * - a list: words, the tightest first.
 */
export type TighterDirection = 'lower' | 'higher' | 'subset' | 'per-symbol' | readonly string[];

/** One value of the `risk:` block, with the control that compares it. */
export interface LimitEntry {
  /** Path below `risk`, with dots: `max_position_notional.usdt`. */
  readonly key: string;
  readonly control: ControlId;
  readonly unit: LimitUnit;
  readonly tighter: TighterDirection;
  /** The value as the block writes it; undefined: no limit. */
  readonly read: (limits: RiskLimits) => string | undefined;
}

/** A fraction as the percentage that the block has. */
export const percentText = (fraction: Fixed): string =>
  decimalFromFixed(fraction).times(100).toFixed();

/** R27 without a value: the age limit follows the interval, between these ends (ms). */
export const BY_INTERVAL = 'by interval';
const BY_INTERVAL_MS = { least: '3000', most: '60000' } as const;

/** Whether `after` allows more than `before`. */
export function isLooser(
  { tighter }: Pick<LimitEntry, 'tighter'>,
  before: string | undefined,
  after: string | undefined,
): boolean {
  if (before === after || before === undefined) return false;
  if (after === undefined) return true;
  switch (tighter) {
    case 'lower':
      return numberAt(after, 'most').gt(numberAt(before, 'least'));
    case 'higher':
      return new Decimal(after).lt(before);
    case 'subset':
      return before !== '*' && (after === '*' || hasMore(namesIn(before), namesIn(after)));
    case 'per-symbol':
      return allowsMore(quantitiesIn(before), quantitiesIn(after));
    default:
      return tighter.indexOf(after) > tighter.indexOf(before);
  }
}

/** An age by interval may be anything between its ends, so that the looser end is compared. */
const numberAt = (text: string, end: keyof typeof BY_INTERVAL_MS): Decimal =>
  new Decimal(text === BY_INTERVAL ? BY_INTERVAL_MS[end] : text);

const namesIn = (text: string): readonly string[] => text.split(', ');

const hasMore = (before: readonly string[], after: readonly string[]): boolean =>
  after.some((name) => !before.includes(name));

/** `BTCUSDT 0.05, ETHUSDT 1`. */
const quantitiesIn = (text: string): ReadonlyMap<string, string> =>
  new Map(
    namesIn(text).map((part) => {
      const [symbol = '', quantity = ''] = part.split(' ');
      return [symbol, quantity];
    }),
  );

const allowsMore = (
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): boolean =>
  [...before].some(([symbol, quantity]) => {
    const now = after.get(symbol);
    return now === undefined || new Decimal(now).gt(quantity);
  });
