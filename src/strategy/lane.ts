import {
  absolute,
  fixedFromNumber,
  isMore,
  sign,
  subtract,
  textFromFixed,
  ZERO,
  type Price,
  type Quantity,
} from '../core/fixed.js';
import { isReduction, nextLeg, type Leg, type TargetFacts } from './size/target.js';
import { isReached, type Resizing } from './entry-settings.js';
import type { OrderDesk } from './order-desk.js';
import { KeptTarget, type Wanted } from './kept-target.js';
import { causeOfNow, isSameDecision, type Decision, type Step } from './host/step.js';
import type { MovedBy, OrderEnd } from './world.js';

/** Monotonic ms until an increase that was refused for a reason that passes is tried again. */
const RETRY_ENTRY_MS = 250;
/** Monotonic ms between two tries of a reduction, and between two looks at one that is under way. */
const RETRY_EXIT_MS: readonly number[] = [1_000, 2_000, 5_000, 10_000];
const LOOK_AT_EXIT_MS = 5_000;
const TIMER_KEY = 'lane:';

/** Of a timer that a lane has set: its symbol. */
export const laneOfTimer = (key: string): string | undefined =>
  key.startsWith(TIMER_KEY) ? key.slice(TIMER_KEY.length) : undefined;

/**
 * One symbol's target and the way to it: one order at a time (design part 6).
 *
 * - A reduction is tried until it is done: at each candle, and by a timer where candles stay away.
 * - An increase that fails ends its decision. Where the strategy says the same target again it is a new
 *   decision, with its own key, price and age. A leg that fails for a reason that passes is tried again
 *   while the decision is young enough.
 * - A target is *held* when the position moves away from it without our doing: nothing of ours trades
 *   against a stop, an operator or a liquidation until the strategy wants something else or a person
 *   resumes. After a person's hand an `enter` of the same side does not act either. That is kept over
 *   restarts.
 */
export class Lane {
  readonly symbol: string;
  /** Not there yet and no order under way: looked at again on each candle. */
  pending = false;
  readonly #desk: OrderDesk;
  readonly #kept: KeptTarget;
  #wanted: Wanted | undefined;
  #desired: Quantity | undefined;
  #decision: Decision | undefined;
  /** `open`: reached, or on the way to it. */
  #outcome: 'open' | 'failed' | 'held' = 'open';
  /** The target was refused before, and said so. */
  #repeats = false;
  /** An increase waits for what it was refused for. */
  #postponed = false;
  #isTimed = false;
  /** While held: what moved the position away. */
  #heldBy: MovedBy | undefined;
  /** Tries of a reduction that failed since the last one that filled. */
  #exitTries = 0;
  /** As of the last event: tells which way the position moved. */
  #position: Quantity = ZERO;

  constructor(symbol: string, desk: OrderDesk) {
    this.symbol = symbol;
    this.#desk = desk;
    this.#kept = new KeptTarget(desk.world, symbol);
  }

  /** Signed quantity that is wanted; undefined before the first target and when it was consumed. */
  get desired(): Quantity | undefined {
    return this.#desired;
  }

  /** What the strategy said last. */
  get wanted(): Wanted | undefined {
    return this.#wanted;
  }

  /** It is the target already, and nothing about it has failed. */
  stands(unit: Wanted['unit'], value: number): boolean {
    return this.#outcome !== 'failed' && this.#isWanted({ unit, value });
  }

  /**
   * Takes over the target of an earlier life, or the fact that it was held. Where the setting has changed,
   * a position keeps its size, or is sized again when its target is said again.
   */
  restore(resizing: Resizing = 'unchanged'): void {
    const kept = this.#kept.read();
    const position = this.#desk.world.position(this.symbol);
    this.#position = position;
    // Held since this start: what was kept says so too.
    if (kept === undefined || this.#outcome === 'held') return;
    const { desired, held, by, ...wanted } = kept;
    if (held !== undefined) {
      this.#wanted = wanted;
      this.#outcome = 'held';
      this.#heldBy = by ?? 'venue';
      this.#desk.say(
        'warn',
        `${this.symbol}: its target was given up before the restart, because ${held}. ${this.#wayOut()}`,
      );
    } else if (desired !== undefined && isReached(desired, position, resizing)) {
      this.#wanted = wanted;
      this.#desired = position;
    } else if (desired !== undefined && isReduction(desired, position)) {
      this.#takeUpReduction(desired, position);
    } else {
      // An increase of an earlier life is not taken up: the target said again is a new one.
      this.#kept.write({ ...wanted, desired: undefined });
    }
  }

  /**
   * A reduction that was wanted before a restart is carried out after it. The other side of a reversal is not
   * opened: its decision is of an earlier life, and the target said again is a new one.
   */
  #takeUpReduction(desired: Quantity, position: Quantity): void {
    const { world } = this.#desk;
    const reference = world.lastPrice(this.symbol);
    const entry = world.entryPrice(this.symbol);
    const price = reference === undefined ? entry : fixedFromNumber<'price'>(reference);
    if (price === undefined) return;
    this.#outcome = 'failed';
    this.#desired = sign(desired) === sign(position) ? desired : (ZERO as Quantity);
    this.#decision = {
      cause: causeOfNow(world, `restart:${this.symbol}`),
      ordinal: 0,
      decidedAt: world.venueTime,
      decidedMonotonic: world.monotonic,
      reference: price,
      prices: {},
      leg: 0,
    };
    this.#advance();
  }

  /** A person's word: what moved the position is over, and the target may be traded to again. */
  resume(): void {
    if (this.#outcome !== 'held') return;
    this.#outcome = 'failed';
    this.#heldBy = undefined;
    if (this.#wanted !== undefined) this.#kept.write({ ...this.#wanted, desired: undefined });
    this.#desk.say('info', `${this.symbol}: its target is traded to again`);
  }

  /** A person took off what stood on that side, and nothing has been said since. */
  refusesEntry(sign: 1 | -1): boolean {
    const value = this.#wanted?.value ?? 0;
    return this.#outcome === 'held' && this.#heldBy === 'hand' && value * sign > 0;
  }

  decide(desired: Quantity, wanted: Wanted, decision: Decision): void {
    const { symbol } = this;
    this.#desk.counts.decisions++;
    const repeats = this.#outcome === 'failed' && this.#isWanted(wanted);
    this.#repeats = repeats;
    this.#wanted = wanted;
    this.#desired = desired;
    this.#decision = repeats ? { ...decision, repeats } : decision;
    this.#outcome = 'open';
    this.#heldBy = undefined;
    this.#postponed = false;
    this.#exitTries = 0;
    if (!repeats) this.#kept.write({ ...wanted, desired });
    this.#position = this.#desk.world.position(symbol);
    this.pending = false;
    this.#desk.forgetCancels(symbol);
    this.#desk.cancelEntries(symbol);
    this.#desk.cancelResting(symbol);
    this.#advance();
  }

  /** A candle of the symbol: what waits is tried again, under this candle's cause. */
  retry(step: Step): void {
    if (this.#decision === undefined || step.isOf(this.#decision)) return;
    this.#desk.forgetCancels(this.symbol);
    this.#advance(step);
  }

  /** The time that it asked for. */
  due(): void {
    this.#isTimed = false;
    const waits = this.#postponed || this.#reduces();
    this.#postponed = false;
    if (!waits) return;
    this.#desk.forgetCancels(this.symbol);
    this.#advance();
  }

  /** An order of this symbol has ended. */
  ended(end: OrderEnd, ofLane: boolean): void {
    this.#position = this.#desk.world.position(this.symbol);
    if (this.#desired === undefined) return;
    const { intent } = end;
    const current =
      ofLane && this.#decision !== undefined && isSameDecision(intent, this.#decision);
    const why = `${end.end}${end.reason === undefined ? '' : `: ${end.reason}`}`;
    if (!ofLane && !this.pending) this.pending = this.#desired !== this.#position;
    else if (!current || end.end === 'filled') this.#advance();
    else if (intent.terms.reduceOnly) this.#retryLater(why);
    else if (end.forNow === true) this.#postpone();
    else this.#fail(`the order was ${why}`);
  }

  /** An order of the lane has filled, in part or whole. */
  filled(): void {
    this.#position = this.#desk.world.position(this.symbol);
    this.#exitTries = 0;
  }

  /** The position changed, and no order of the lane did it. `own`: a resting order of the strategy. */
  moved(by: MovedBy | 'own'): void {
    const before = this.#position;
    const now = this.#desk.world.position(this.symbol);
    this.#position = now;
    if (now === before) return;
    const desired = this.#desired;
    const cause = by === 'own' ? 'venue' : by;
    if (desired === undefined) {
      if (cause === 'hand' && isReduction(now, before)) this.#holdUntold(before);
    } else if (isMore(absolute(subtract(desired, now)), absolute(subtract(desired, before))))
      this.#hold(AWAY, cause);
    else this.pending = desired !== now;
  }

  /** A person took off what no target of ours stands for. */
  #holdUntold(before: Quantity): void {
    const side = sign(before);
    if ((this.#wanted?.value ?? side) * side <= 0) return;
    this.#wanted ??= { unit: 'conviction', value: side };
    this.#hold(AWAY, 'hand');
  }

  /**
   * The position changed while no process of ours ran, or before this strategy was started.
   * @param before as the journal left it, signed
   */
  movedWhileDown(before: Quantity, why = 'the position changed while the bot was down'): void {
    const kept = this.#kept.read();
    if (this.#outcome === 'held' || kept?.held !== undefined) return;
    const unknown: Wanted = { unit: 'conviction', value: sign(before) };
    this.#wanted = kept === undefined ? unknown : { unit: kept.unit, value: kept.value };
    this.#desired = kept?.desired ?? before;
    // The author is not known, and a part that a person may have sold is not bought back.
    this.#hold(why, 'hand');
  }

  /** With a step, what is sent now is a decision of that step; without, the decision's next leg. */
  #advance(step?: Step): void {
    const decision = this.#decision;
    const facts = decision && this.#facts(this.#referenceOf(decision, step));
    if (decision === undefined || facts === undefined) return;
    const leg = nextLeg(facts);
    if (leg.kind === 'nothing') this.pending = false;
    else if (leg.kind === 'wait') this.#wait(leg.reason, facts.mayLand === true);
    else this.#act(leg, facts, this.#renewed(decision, facts.referencePrice, step));
    if (leg.kind !== 'nothing' && this.#reduces()) this.#lookAgain(LOOK_AT_EXIT_MS);
  }

  /** The target is below the position, or on the other side. */
  #reduces(): boolean {
    return (
      this.#desired !== undefined &&
      isReduction(this.#desired, this.#desk.world.position(this.symbol))
    );
  }

  #lookAgain(delayMs: number): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    this.#desk.world.timerAfter(delayMs, `${TIMER_KEY}${this.symbol}`);
  }

  #act(leg: Leg & { kind: 'reduce' | 'open' }, facts: TargetFacts, decision: Decision): void {
    const { symbol } = this;
    const desk = this.#desk;
    this.#decision = decision;
    const reduces = leg.kind === 'reduce';
    if (desk.cancelResting(symbol)) {
      this.#wait('in-flight', false);
      return;
    }
    if (desk.world.venueTime > desk.validUntil(decision, reduces)) {
      this.#fail('its time was over before it could be sent');
      return;
    }
    this.pending = false;
    const wish = { symbol, side: leg.side, quantity: leg.quantity, instrument: facts.instrument };
    const verdict = reduces ? desk.reduce(wish, decision) : desk.open(wish, decision);
    if (verdict === 'accepted') {
      if (this.#repeats) this.#keep();
      return;
    }
    if (reduces) this.#retryLater('refused');
    else if (verdict === 'refused-for-now') this.#postpone();
    else this.#fail('the order was refused');
  }

  #facts(referencePrice: Price): TargetFacts | undefined {
    const { world, settings } = this.#desk;
    const instrument = world.instrument(this.symbol);
    if (instrument === undefined || this.#desired === undefined) return undefined;
    return {
      desired: this.#desired,
      position: world.position(this.symbol),
      busy: this.#desk.isBusy(this.symbol),
      mayLand: this.#desk.mayLand(this.symbol),
      instrument,
      referencePrice,
      maxOpenQuantity:
        settings.entry.kind === 'market' ? instrument.maxMarketQuantity : instrument.maxQuantity,
    };
  }

  #referenceOf(decision: Decision, step: Step | undefined): Price {
    const reference = step?.reference(this.symbol);
    return reference === undefined ? decision.reference : fixedFromNumber(reference);
  }

  #renewed(old: Decision, reference: Price, step: Step | undefined): Decision {
    return step === undefined
      ? old
      : {
          ...step.decision({ ordinal: step.takeOrdinal(), reference, prices: old.prices }),
          ...(old.sizing !== undefined && { sizing: old.sizing }),
        };
  }

  #wait(reason: 'in-flight' | 'below-minimum', mayLand: boolean): void {
    if (this.pending) return;
    this.pending = true;
    this.#desk.counts.waited++;
    if (mayLand)
      this.#desk.say('warn', `${this.symbol} waits: an order of it is not proved, and may land`);
    if (reason === 'in-flight' || this.#desired === undefined) return;
    const missing = absolute(subtract(this.#desired, this.#desk.world.position(this.symbol)));
    this.#desk.say(
      'info',
      `${this.symbol} waits: ${textFromFixed(missing)} is below the venue's minimum order`,
    );
  }

  /** A reduction is never given up: said at the first try, the second, the fourth, and so on. */
  #retryLater(why: string): void {
    this.pending = true;
    this.#desk.counts.waited++;
    const tries = (this.#exitTries += 1);
    const delayMs = RETRY_EXIT_MS[Math.min(tries, RETRY_EXIT_MS.length) - 1] ?? LOOK_AT_EXIT_MS;
    this.#lookAgain(delayMs);
    if ((tries & (tries - 1)) !== 0) return;
    const times = tries === 1 ? '' : ` ${tries} times`;
    this.#desk.say(
      'warn',
      `${this.symbol}: a reduction failed${times} (${why}); it is tried again`,
    );
  }

  /** The decision is young: it is tried again for as long as it is. */
  #postpone(): void {
    this.#postponed = true;
    if (this.#decision !== undefined) this.#decision = { ...this.#decision, repeats: true };
    this.#lookAgain(RETRY_ENTRY_MS);
  }

  /** Nothing more is done for this decision; the same target said again is another one. */
  #fail(why: string): void {
    const given = this.#giveUp('failed');
    this.#keep();
    if (given === undefined || this.#repeats) return;
    this.#desk.say('warn', `${given}, because ${why}. The same target said again acts again`);
  }

  #hold(why: string, by: MovedBy): void {
    // After a restart the strategy may not have said anything yet.
    const wanted = this.#wanted ?? this.#kept.read();
    if (wanted !== undefined)
      this.#kept.write({ ...wanted, desired: this.#desired, held: why, by });
    this.#heldBy = by;
    const given = this.#giveUp('held');
    const what = given ?? `${this.symbol}: its target is given up`;
    this.#desk.say('warn', `${what}, because ${why}. ${this.#wayOut()}`);
  }

  /** The words that end a hold, for people. */
  #wayOut(): string {
    const word = this.#heldBy === 'hand' ? 'A different target' : 'A different target or an enter';
    return `${word} acts again, or start with --resume ${this.symbol}`;
  }

  #keep(): void {
    if (this.#wanted !== undefined) this.#kept.write({ ...this.#wanted, desired: this.#desired });
  }

  #giveUp(outcome: 'failed' | 'held'): string | undefined {
    const wanted = this.#desired;
    const position = this.#desk.world.position(this.symbol);
    this.#position = position;
    this.#outcome = outcome;
    this.#desired = undefined;
    this.#postponed = false;
    this.pending = false;
    if (wanted === undefined || wanted === position) return undefined;
    const [target, at] = [textFromFixed(wanted), textFromFixed(position)];
    return `${this.symbol}: the target of ${target} is given up at ${at}`;
  }

  #isWanted({ unit, value }: Wanted): boolean {
    return this.#wanted?.unit === unit && this.#wanted.value === value;
  }
}

const AWAY = 'the position moved away from it';
