import { isMore, isLess, type Price } from '../core/fixed.js';
import type { RejectionCode } from '../core/rejection.js';
import type { AccountReads } from './account-reads.js';
import type { ExchangeState } from './exchange-state.js';
import { createLeg } from './leg-order.js';
import type { Matcher } from './matcher.js';
import { isLegPrice } from './placement-checks.js';
import type { Placing } from './placing.js';
import { openPosition } from './position-desk.js';
import type { Answer, ExchangePosition, LegChange, Legs, LegTerms } from './simulated-exchange.js';
import type { BookOrder, BookPosition } from './symbol-book.js';

type Slot = keyof Legs<unknown>;
type Judged<T> = T & { readonly slot: Slot };

/** Stops and targets of open positions (interface, riskorder). */
export class ProtectionDesk {
  readonly #state: ExchangeState;
  readonly #placing: Placing;
  readonly #matcher: Matcher;
  readonly #reads: AccountReads;

  constructor(parts: {
    readonly state: ExchangeState;
    readonly placing: Placing;
    readonly matcher: Matcher;
    readonly reads: AccountReads;
  }) {
    this.#state = parts.state;
    this.#placing = parts.placing;
    this.#matcher = parts.matcher;
    this.#reads = parts.reads;
  }

  protect(positionId: string, legs: Legs<LegTerms>): Answer<ExchangePosition> {
    const asked = listOf(legs);
    const ids = asked.map(({ clientOrderId }) => clientOrderId);
    const identifier = this.#checkIdentifiers(ids);
    if (identifier !== undefined) return { ok: false, code: identifier };
    const found = openPosition(this.#state, positionId);
    if (!found.ok) return this.#placing.refuse(found.code, ids);
    const position = found.value;
    const refusal = firstOf(asked, (leg) => this.#refusesLeg(position, leg));
    if (refusal !== undefined || asked.length === 0) {
      return this.#placing.refuse(refusal ?? 'invalid-request', ids);
    }
    for (const leg of asked) this.#setLeg(position, leg);
    return this.#done(position);
  }

  moveProtection(positionId: string, legs: Legs<LegChange>): Answer<ExchangePosition> {
    const found = openPosition(this.#state, positionId);
    if (!found.ok) return found;
    const position = found.value;
    const asked = listOf(legs);
    const refusal = firstOf(asked, (leg) => this.#refusesMove(position, leg));
    if (refusal !== undefined || asked.length === 0) {
      return { ok: false, code: refusal ?? 'invalid-request' };
    }
    for (const { slot, price, type } of asked) {
      const leg = position[slot];
      if (leg === undefined) continue;
      if (type === 'market') position.book.unrest(leg);
      leg.moveTrigger(price, type, this.#state.nowMs);
      this.#state.tellOrder(leg);
    }
    return this.#done(position);
  }

  /** Both legs, and an id may not come twice in one request either. */
  #checkIdentifiers(ids: readonly (string | undefined)[]): RejectionCode | undefined {
    for (const [index, id] of ids.entries()) {
      const refusal = this.#placing.checkIdentifier(id);
      if (refusal !== undefined) return refusal;
      if (id !== undefined && ids.indexOf(id) < index) return 'client-order-id-exists';
    }
    return undefined;
  }

  #refusesLeg(position: BookPosition, leg: Judged<LegTerms>): RejectionCode | undefined {
    const { legOnExisting } = this.#state.assumptions;
    const price = this.#refusesPrice(position, leg);
    if (price !== undefined) return price;
    if (position[leg.slot] !== undefined && legOnExisting === 'refuse') return 'protection-refused';
    return this.#isBeyondLiquidation(position, leg) ? 'protection-refused' : undefined;
  }

  #refusesMove(position: BookPosition, leg: Judged<LegChange>): RejectionCode | undefined {
    if (leg.order === undefined) return 'protection-order-missing';
    const order = this.#state.orders.find(leg.order);
    if (order === undefined || order.positionId !== position.id) return 'order-not-found';
    if (order.role !== ROLE[leg.slot]) return 'order-not-found';
    if (position[leg.slot] !== order) return 'order-not-open';
    const price = this.#refusesPrice(position, leg);
    if (price !== undefined) return price;
    const bound = this.#state.assumptions.movedStop === 'liquidation';
    return bound && this.#isBeyondLiquidation(position, leg) ? 'protection-refused' : undefined;
  }

  /** In range, and not where the market would set it off at once (assumption). */
  #refusesPrice(
    { book, longSign }: BookPosition,
    { slot, price }: Judged<{ readonly price: Price }>,
  ): RejectionCode | undefined {
    const { assumptions } = this.#state;
    const market = book[assumptions.stopTrigger];
    const above = (slot === 'takeProfit') === (longSign === 1);
    const rightSide =
      assumptions.legBeyondMarket === 'fires' ||
      (above ? isMore(price, market) : isLess(price, market));
    if (rightSide && isLegPrice(book, price, assumptions)) return undefined;
    return slot === 'stopLoss' ? 'invalid-stop-loss' : 'invalid-take-profit';
  }

  /** Against the liquidation price as it is told: a stop at it is allowed. */
  #isBeyondLiquidation(
    position: BookPosition,
    { slot, price }: Judged<{ readonly price: Price }>,
  ): boolean {
    const { liquidationPrice } = this.#reads.position(position);
    if (slot === 'takeProfit' || liquidationPrice === undefined) return false;
    return position.longSign === 1
      ? isLess(price, liquidationPrice)
      : isMore(price, liquidationPrice);
  }

  #setLeg(position: BookPosition, { slot, price, clientOrderId }: Judged<LegTerms>): void {
    const present: BookOrder | undefined = position[slot];
    const { book, currency, leverage, quantity, longSign } = position;
    const side = longSign === 1 ? 'buy' : 'sell';
    const terms = { book, currency, leverage, positionId: position.id };
    const seed = { role: ROLE[slot], price, clientOrderId };
    position[slot] = createLeg(this.#state, { terms, side, quantity }, seed);
    if (present !== undefined) this.#matcher.cancel(present, 'system-canceled');
  }

  #done(position: BookPosition): Answer<ExchangePosition> {
    position.book.quiet = undefined;
    this.#state.tellPosition(position);
    const row = this.#reads.position(position);
    this.#state.announcer.tell();
    return { ok: true, value: row };
  }
}

const ROLE = { stopLoss: 'stop-loss', takeProfit: 'take-profit' } as const;

function listOf<T>({ stopLoss, takeProfit }: Legs<T>): readonly Judged<T>[] {
  return [
    ...(stopLoss === undefined ? [] : [{ ...stopLoss, slot: 'stopLoss' as const }]),
    ...(takeProfit === undefined ? [] : [{ ...takeProfit, slot: 'takeProfit' as const }]),
  ];
}

function firstOf<T>(
  legs: readonly T[],
  refusalOf: (leg: T) => RejectionCode | undefined,
): RejectionCode | undefined {
  for (const leg of legs) {
    const refusal = refusalOf(leg);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
