import { assert } from '../../core/assert.js';
import {
  absolute,
  add,
  fixedFromNumber,
  isAtLeast,
  isAtMost,
  isLess,
  isGreater,
  larger,
  smaller,
  subtract,
  ZERO,
  type Price,
} from '../../core/fixed/fixed.js';
import type { Assumptions } from '../assumptions.js';
import type { Matcher } from '../order/matcher.js';
import type { CandleMove } from '../simulated-exchange.js';
import type {
  ExchangeOrderState,
  ExchangePositionState,
  IdleBand,
  SymbolState,
} from './symbol-state.js';

/** A price level and the action that reaching it triggers. */
interface Trigger {
  /** Triggered at or below the level, or at or above it. */
  readonly when: 'below' | 'above';
  readonly level: Price;
  readonly by: 'last' | 'mark';
  /** 0 liquidation, 1 stops, 2 targets, 3 resting limits. */
  readonly rank: number;
  /** Takes the price that was reached. */
  readonly fire: (price: Price) => void;
}

/** Moves the price of a symbol and fires the triggers that it reaches. */
export class PriceMover {
  readonly #matcher: Matcher;
  readonly #assumptions: Assumptions;
  readonly #limitFill: 'through' | 'touch';
  /** The candle that the price passes. */
  #candle: CandleMove | undefined;
  #isAmbiguous = false;

  constructor(parts: {
    readonly matcher: Matcher;
    readonly assumptions: Assumptions;
    readonly limitFill: 'through' | 'touch';
  }) {
    this.#matcher = parts.matcher;
    this.#assumptions = parts.assumptions;
    this.#limitFill = parts.limitFill;
  }

  /** Jumps without prices between: every passed trigger fires at the new price. */
  gapTo(symbolState: SymbolState, last: Price, mark: Price): void {
    assert(last > 0 && mark > 0, 'A price is above 0');
    symbolState.last = last;
    symbolState.mark = mark;
    this.triggerAtPrice(symbolState);
  }

  /** Fires what the current price has passed: a new stop may start on the wrong side of it. */
  triggerAtPrice(symbolState: SymbolState): void {
    while (!this.#isWithinIdleBand(symbolState, symbolState.last, symbolState.mark)) {
      const trigger = firstPassed(this.#triggersOf(symbolState), symbolState);
      if (trigger === undefined) return;
      trigger.fire(symbolState.last);
    }
  }

  /** Passes every price between: each trigger fires at its own level, the nearest first. */
  moveThrough(symbolState: SymbolState, last: Price, mark: Price): void {
    // When last and mark differ, their paths are unknown, so the mark triggers only at the end.
    const isMarkAtLast = symbolState.mark === symbolState.last && mark === last;
    while (!this.#isWithinIdleBand(symbolState, last, mark)) {
      this.triggerAtPrice(symbolState);
      const trigger = nearestBetween(
        this.#triggersOf(symbolState),
        symbolState.last,
        last,
        isMarkAtLast,
      );
      if (trigger === undefined) break;
      symbolState.last = trigger.level;
      if (isMarkAtLast) symbolState.mark = trigger.level;
      trigger.fire(trigger.level);
      this.#noteTriggerBehind(symbolState, last);
    }
    this.gapTo(symbolState, last, mark);
  }

  /**
   * Passes the prices of a candle from its open: both extremes in the assumed order, then the close.
   * @returns whether the order of its prices may matter: triggers lie on both sides of the open, or one that
   *   fires leaves another behind the price and within the candle
   */
  moveThroughCandle(symbolState: SymbolState, candle: CandleMove): boolean {
    const { low, high, close, isLowFirst } = candle;
    const reachesLow = !this.#isWithinIdleBand(symbolState, low.last, low.mark);
    const reachesHigh = !this.#isWithinIdleBand(symbolState, high.last, high.mark);
    this.#isAmbiguous = reachesLow && reachesHigh;
    if (reachesLow || reachesHigh) {
      this.#candle = candle;
      const [first, second] = isLowFirst ? [low, high] : [high, low];
      this.moveThrough(symbolState, first.last, first.mark);
      this.moveThrough(symbolState, second.last, second.mark);
      this.moveThrough(symbolState, close.last, close.mark);
      this.#candle = undefined;
    } else this.gapTo(symbolState, close.last, close.mark);
    return this.#isAmbiguous;
  }

  /**
   * Passes a candle in which no order, stop or liquidation can fire; its mark is its last price.
   * @returns false where one may: nothing has happened then
   */
  passIdle(symbolState: SymbolState, low: number, high: number, close: number): boolean {
    if (symbolState.unmatched.length > 0 || !(low > 0 && low <= close && close <= high))
      return false;
    if (symbolState.active) {
      const [lowest, highest] = [fixedFromNumber<'price'>(low), fixedFromNumber<'price'>(high)];
      if (!this.#isWithinIdleBand(symbolState, lowest, lowest)) return false;
      if (!this.#isWithinIdleBand(symbolState, highest, highest)) return false;
    }
    const last = fixedFromNumber<'price'>(close);
    symbolState.last = last;
    symbolState.mark = last;
    return true;
  }

  /** Prices strictly inside trigger nothing, until an order or position of the symbol changes. */
  idleBand(symbolState: SymbolState): IdleBand {
    return (symbolState.idleBand ??= this.#computeIdleBand(symbolState));
  }

  /** The price falls or rises to `to`: a trigger that it leaves behind may also have come first. */
  #noteTriggerBehind(symbolState: SymbolState, to: Price): void {
    if (this.#candle === undefined) return;
    const { last, mark } = isLess(to, symbolState.last) ? this.#candle.high : this.#candle.low;
    if (!this.#isWithinIdleBand(symbolState, last, mark)) this.#isAmbiguous = true;
  }

  /** The common case of a backtest: four comparisons, no allocation. */
  #isWithinIdleBand(symbolState: SymbolState, last: Price, mark: Price): boolean {
    const { lastFrom, lastTo, markFrom, markTo } = this.idleBand(symbolState);
    return isBetween(last, lastFrom, lastTo) && isBetween(mark, markFrom, markTo);
  }

  #computeIdleBand(symbolState: SymbolState): IdleBand {
    let lastFrom: Price | undefined;
    let lastTo: Price | undefined;
    let markFrom: Price | undefined;
    let markTo: Price | undefined;
    for (const { when, by, level } of this.#triggersOf(symbolState)) {
      if (by === 'last') {
        if (when === 'below') lastFrom = larger(lastFrom ?? level, level);
        else lastTo = smaller(lastTo ?? level, level);
      } else if (when === 'below') markFrom = larger(markFrom ?? level, level);
      else markTo = smaller(markTo ?? level, level);
    }
    return { lastFrom, lastTo, markFrom, markTo };
  }

  /** By rank, then age. */
  #triggersOf(symbolState: SymbolState): readonly Trigger[] {
    const triggers: Trigger[] = [];
    for (const position of symbolState.positions.values())
      this.#addPositionTriggers(triggers, position);
    if (!symbolState.isVolumeTaken)
      for (const order of symbolState.resting) triggers.push(this.#limitTrigger(order));
    return triggers.sort((a, b) => a.rank - b.rank);
  }

  #addPositionTriggers(triggers: Trigger[], position: ExchangePositionState): void {
    const [adverse, favourable] = sidesOf(position);
    const { symbolState, liquidationTrigger: level } = position;
    // A triggered order that rests is an ordinary limit order.
    const untriggered = (order: ExchangeOrderState | undefined): ExchangeOrderState | undefined =>
      order === undefined || symbolState.resting.includes(order) ? undefined : order;
    const [stopLoss, takeProfit] = [
      untriggered(position.stopLoss),
      untriggered(position.takeProfit),
    ];
    if (level > 0) {
      const fire = (): void => this.#matcher.liquidate(position);
      triggers.push({
        when: adverse,
        level,
        by: this.#assumptions.liquidationTrigger,
        rank: 0,
        fire,
      });
    }
    if (stopLoss !== undefined)
      triggers.push(this.#protectiveTrigger(stopLoss, position, adverse, 1));
    if (takeProfit !== undefined)
      triggers.push(this.#protectiveTrigger(takeProfit, position, favourable, 2));
  }

  #protectiveTrigger(
    order: ExchangeOrderState,
    position: ExchangePositionState,
    when: Trigger['when'],
    rank: number,
  ): Trigger {
    const fire = (price: Price): void => this.#matcher.trigger(order, position, price);
    return { when, level: order.price, by: this.#assumptions.stopTrigger, rank, fire };
  }

  /** A resting limit trades at its own price, however far the market moved through it. */
  #limitTrigger(order: ExchangeOrderState): Trigger {
    const step =
      this.#limitFill === 'through' ? order.symbolState.listing.instrument.priceStep : ZERO_PRICE;
    const buys = order.side === 'buy';
    const level = buys ? subtract(order.price, step) : add(order.price, step);
    const fire = (): void => this.#matcher.fill(order, order.price, true);
    return { when: buys ? 'below' : 'above', level, by: 'last', rank: 3, fire };
  }
}

const ZERO_PRICE = ZERO as Price;

const isBetween = (price: Price, from: Price | undefined, to: Price | undefined): boolean =>
  (from === undefined || isLess(from, price)) && (to === undefined || isLess(price, to));

const sidesOf = (position: ExchangePositionState): readonly [Trigger['when'], Trigger['when']] =>
  position.longSign === 1 ? ['below', 'above'] : ['above', 'below'];

/** The first trigger that the current price has passed: by rank, then earliest level, then age. */
function firstPassed(triggers: readonly Trigger[], symbolState: SymbolState): Trigger | undefined {
  let first: Trigger | undefined;
  for (const trigger of triggers) {
    const price = symbolState[trigger.by];
    const passed =
      trigger.when === 'below' ? isAtMost(price, trigger.level) : isAtLeast(price, trigger.level);
    if (!passed) continue;
    const before =
      first === undefined ||
      (first.rank === trigger.rank &&
        isGreater(
          absolute(subtract(trigger.level, price)),
          absolute(subtract(first.level, price)),
        ));
    if (before) first = trigger;
  }
  return first;
}

/** The first trigger between two prices, both included. Ties go by rank, then age. */
function nearestBetween(
  triggers: readonly Trigger[],
  from: Price,
  to: Price,
  isMarkAtLast: boolean,
): Trigger | undefined {
  let nearest: Trigger | undefined;
  for (const trigger of triggers) {
    if (trigger.by === 'mark' && !isMarkAtLast) continue;
    const [low, high] = trigger.when === 'below' ? [to, from] : [from, to];
    if (isLess(trigger.level, low) || isGreater(trigger.level, high)) continue;
    const distance = absolute(subtract(trigger.level, from));
    if (nearest === undefined || isLess(distance, absolute(subtract(nearest.level, from))))
      nearest = trigger;
  }
  return nearest;
}
