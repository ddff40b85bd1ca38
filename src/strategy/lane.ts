import {
  isMore,
  absolute,
  fixedFromNumber,
  subtract,
  textFromFixed,
  ZERO,
  type Price,
  type Quantity,
} from '../core/fixed.js';
import type { OrderDesk } from './order-desk.js';
import { isSameDecision, type Decision, type Step } from './host/step.js';
import { nextLeg, type Leg, type TargetFacts } from './size/target.js';
import type { OrderEnd } from './world.js';

/** What the strategy said, in its own unit. */
export interface Wanted {
  readonly unit: 'conviction' | 'quantity';
  readonly value: number;
}

/**
 * One symbol's target and the way to it: one order at a time (design part 6).
 *
 * A target is *consumed* when an increase toward it fails or when the position moves away from it
 * without our doing: whatever the position is, is what is wanted, until the strategy wants something
 * else. So nothing of ours trades against a stop, an operator, or a venue that says no.
 */
export class Lane {
  readonly symbol: string;
  /** Not there yet and no order under way: looked at again on each candle. */
  pending = false;
  readonly #desk: OrderDesk;
  #wanted: Wanted | undefined;
  #desired: Quantity | undefined;
  #decision: Decision | undefined;
  /** As of the last event: tells which way the position moved. */
  #position: Quantity = ZERO;

  constructor(symbol: string, desk: OrderDesk) {
    this.symbol = symbol;
    this.#desk = desk;
  }

  /** Signed quantity that is wanted; undefined before the first target and when it was consumed. */
  get desired(): Quantity | undefined {
    return this.#desired;
  }

  /** What the strategy said last. */
  get wanted(): Wanted | undefined {
    return this.#wanted;
  }

  stands(unit: Wanted['unit'], value: number): boolean {
    return this.#wanted?.unit === unit && this.#wanted.value === value;
  }

  decide(desired: Quantity, wanted: Wanted, decision: Decision): void {
    const { symbol } = this;
    this.#desk.counts.decisions++;
    this.#wanted = wanted;
    this.#desired = desired;
    this.#decision = decision;
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
    else this.#consume(`the order was ${why}`);
  }

  /** An order of the lane has filled, in part or whole. */
  filled(): void {
    this.#position = this.#desk.world.position(this.symbol);
  }

  /** The position changed, and no order of the lane did it. */
  moved(): void {
    const before = this.#position;
    const now = this.#desk.world.position(this.symbol);
    this.#position = now;
    const desired = this.#desired;
    if (desired === undefined || now === before) return;
    if (isMore(absolute(subtract(desired, now)), absolute(subtract(desired, before))))
      this.#consume('the position moved away from it');
    else this.pending = desired !== now;
  }

  /** With a step, what is sent now is a decision of that step; without, the decision's next leg. */
  #advance(step?: Step): void {
    const decision = this.#decision;
    const facts = decision && this.#facts(this.#referenceOf(decision, step));
    if (decision === undefined || facts === undefined) return;
    const leg = nextLeg(facts);
    if (leg.kind === 'nothing') this.pending = false;
    else if (leg.kind === 'wait') this.#wait(leg.reason);
    else this.#act(leg, facts, this.#renewed(decision, facts.referencePrice, step));
  }

  #act(leg: Leg & { kind: 'reduce' | 'open' }, facts: TargetFacts, decision: Decision): void {
    const { symbol } = this;
    const desk = this.#desk;
    this.#decision = decision;
    const reduces = leg.kind === 'reduce';
    if (desk.cancelResting(symbol)) {
      this.#wait('in-flight');
      return;
    }
    if (desk.world.venueTime > desk.validUntil(decision, reduces)) {
      if (reduces) this.#retryLater('its time was over');
      else this.#consume('its time was over before it could be sent');
      return;
    }
    this.pending = false;
    const wish = { symbol, side: leg.side, quantity: leg.quantity, instrument: facts.instrument };
    const verdict = reduces ? desk.reduce(wish, decision) : desk.open(wish, decision);
    if (verdict === 'accepted') return;
    if (reduces) this.#retryLater('refused');
    else this.#consume('the order was refused');
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
      : step.decision({ ordinal: step.takeOrdinal(), reference, prices: old.prices });
  }

  #wait(reason: 'in-flight' | 'below-minimum'): void {
    if (this.pending) return;
    this.pending = true;
    this.#desk.counts.waited++;
    if (reason === 'in-flight' || this.#desired === undefined) return;
    const missing = absolute(subtract(this.#desired, this.#desk.world.position(this.symbol)));
    this.#desk.say(
      'info',
      `${this.symbol} waits: ${textFromFixed(missing)} is below the venue's minimum order`,
    );
  }

  #retryLater(why: string): void {
    this.pending = true;
    this.#desk.counts.waited++;
    this.#desk.say('warn', `${this.symbol}: a reduction failed (${why}); next try at a candle`);
  }

  #consume(why: string): void {
    const wanted = this.#desired;
    this.#position = this.#desk.world.position(this.symbol);
    this.#desired = undefined;
    this.pending = false;
    if (wanted === undefined || wanted === this.#position) return;
    this.#desk.say(
      'warn',
      `${this.symbol}: the target of ${textFromFixed(wanted)} is given up at ` +
        `${textFromFixed(this.#position)}, because ${why}. A different target or an enter acts again`,
    );
  }
}
