import { durationText } from '../../core/time-text.js';
import type { AlertFacts, FailedStrategyFact, FeedFact, PositionFact } from './alert-facts.js';
import type { AlertKind } from './alert-kind.js';

/** An alert whose condition holds now. */
export interface AlertCondition {
  readonly kind: AlertKind;
  /** Distinguishes alerts of one kind: a symbol, a control, a strategy. */
  readonly scope: string;
  readonly text: string;
}

/** Real ms without a proof before an order is an alert (issue 19: unknown > 60 s). */
export const UNPROVED_AFTER_MS = 60_000;
/** Real ms without a price before a feed is an alert. A symbol trades at least once a minute. */
export const FEED_AFTER_MS = 60_000;
/**
 * Real ms without a price before a position with a stop at the venue is a page. The stop protects it meanwhile, and
 * nearly every outage of a feed ends by itself sooner (npm run proof:pages).
 */
export const GUARDED_FEED_AFTER_MS = 900_000;

export const alertKey = ({ kind, scope }: Pick<AlertCondition, 'kind' | 'scope'>): string =>
  scope === '' ? kind : `${kind}:${scope}`;

/** The alerts that these facts call for. One for each cause, not one for each order. */
export function alertConditions(facts: AlertFacts): readonly AlertCondition[] {
  return [
    ...unprotectedConditions(facts),
    ...unprovedConditions(facts),
    ...restrictionConditions(facts),
    ...accountConditions(facts),
    ...feedConditions(facts),
    ...facts.failedStrategies.map(failedStrategyCondition),
  ];
}

const unprotectedConditions = ({ unprotected }: AlertFacts): readonly AlertCondition[] =>
  unprotected.map((position) => ({
    kind: 'unprotected_position',
    scope: position.symbol,
    text: `${position.quantity} ${position.symbol} has no stop at the venue`,
  }));

/** One alert for each symbol: a lost connection may leave many orders unproved. */
function unprovedConditions({ unproved }: AlertFacts): readonly AlertCondition[] {
  const symbols = new Map<string, string[]>();
  for (const { symbol, text, forMs } of unproved) {
    if (forMs <= UNPROVED_AFTER_MS) continue;
    const texts = symbols.get(symbol) ?? [];
    texts.push(text);
    symbols.set(symbol, texts);
  }
  return [...symbols].map(([symbol, texts]) => ({
    kind: 'unproved_order',
    scope: symbol,
    text: texts.length === 1 ? (texts[0] ?? '') : `${texts.length} orders: ${texts[0] ?? ''}`,
  }));
}

const restrictionConditions = ({ restrictions }: AlertFacts): readonly AlertCondition[] =>
  restrictions.map(({ control, symbol, isLatched, text }) => ({
    kind: isLatched ? 'latched_restriction' : 'restriction',
    scope: symbol === undefined ? control : `${control}:${symbol}`,
    text,
  }));

function accountConditions(facts: AlertFacts): readonly AlertCondition[] {
  const { isKeyRefused, haltReason, killLevel, flattenLeft } = facts;
  const found: AlertCondition[] = [];
  const add = (kind: AlertKind, text: string): void => {
    found.push({ kind, scope: '', text });
  };
  if (haltReason !== undefined) add('halted', haltReason);
  if (isKeyRefused) add('key_refused', 'nothing is placed until the venue accepts a key again');
  if (killLevel !== undefined) add('kill_switch', `level ${killLevel}, until \`sluice resume\``);
  if (flattenLeft !== undefined) add('flatten_unfinished', `${flattenLeft} still open`);
  return found;
}

/**
 * A feed that has not begun is no dead feed: the start waits for it. Once one feed is dead, all that are down with a
 * position are, so that a lost connection is one page.
 */
function feedConditions({ feeds }: AlertFacts): readonly AlertCondition[] {
  const isAnyDead = feeds.some(isDead);
  return feeds.flatMap((feed): readonly AlertCondition[] => {
    const { symbol, ageMs, quantity, stop } = feed;
    if (ageMs === undefined || ageMs <= FEED_AFTER_MS) return [];
    const text = heldFeedText(feed, `${symbol}: the last price is ${durationText(ageMs)} old`);
    const down: AlertCondition = { kind: 'feed_down', scope: symbol, text };
    if (quantity === undefined) return [down];
    const dead: AlertCondition = { ...down, kind: 'feed_dead' };
    if (stop === undefined) return [dead];
    return isAnyDead ? [down, dead] : [down];
  });
}

function isDead({ ageMs = 0, quantity, stop }: FeedFact): boolean {
  if (quantity === undefined) return false;
  return ageMs > (stop === undefined ? FEED_AFTER_MS : GUARDED_FEED_AFTER_MS);
}

function heldFeedText({ quantity, stop }: FeedFact, text: string): string {
  if (quantity === undefined) return text;
  return `${text}; position ${quantity}, ${stop === undefined ? 'no stop' : `stop ${stop} at the venue`}`;
}

const failedStrategyCondition = ({ id, error, positions }: FailedStrategyFact): AlertCondition => ({
  kind: 'strategy_failed',
  scope: id,
  text: `${id}: ${error}. ${positions.length === 0 ? 'It holds no position' : positions.map(heldText).join('; ')}`,
});

function heldText({ symbol, quantity, stop, lossAtStop }: PositionFact): string {
  if (stop === undefined) return `Position ${quantity} ${symbol}, no stop`;
  const loss = lossAtStop === undefined ? 'not known' : `${lossAtStop} USDT`;
  return `Position ${quantity} ${symbol}, stop ${stop}, loss at the stop ${loss}`;
}
