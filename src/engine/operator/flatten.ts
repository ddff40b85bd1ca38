import type { Currency } from '../../core/currency.js';
import {
  absolute,
  add,
  subtract,
  textFromFixed,
  withSign,
  ZERO,
  type Quantity,
} from '../../core/fixed.js';
import type { Cause } from '../../core/intent.js';
import { spaced } from '../../execution/constants.js';
import type { Desk } from '../../execution/desk.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { RecoveredFlatten } from '../../execution/recovery/recovered-flatten.js';
import { permits } from '../../risk/mode.js';
import { ENGINE_ID, submitExit, type ExitParts } from '../engine-exit.js';
import type { Standing } from '../standing.js';

/** Monotonic ms between the rounds of a flatten that does not come to its end at once. */
const ROUNDS_MS: readonly number[] = [500, 1_000, 2_000];

/** Our own share of one position. `quantity`: signed, not 0. */
export interface OwnPosition {
  readonly symbol: string;
  readonly currency: Currency;
  readonly quantity: Quantity;
}

export interface FlattenParts extends ExitParts {
  readonly effects: EffectSink;
  readonly desk: Desk;
  readonly journal: Journal;
  readonly standing: Standing;
  readonly ledger: OrderLedger;
  readonly protocol: OrderProtocol;
  /** Whether the venue's positions, read after our last change, are the ones that we believe. */
  readonly agreed: () => boolean;
  readonly readPositions: () => void;
  /** Exits of a flatten have closed this; who trades the symbol was not running. `before`: signed. */
  readonly closed: (symbol: string, before: Quantity) => void;
}

interface Wish extends RecoveredFlatten {
  /** Exits of one command count up over all lives: an id is used once. */
  ordinal: number;
  /** It was wanted in an earlier life. */
  readonly isInherited: boolean;
}

/**
 * Takes back every order of ours and closes our share of every position, of whatever symbol, until the
 * venue has proved both. It is journaled before it begins, and goes on in the next life.
 */
export class Flatten {
  readonly #parts: FlattenParts;
  #wish: Wish | undefined;
  #end: 'flat' | 'withdrawn' | undefined;
  /** A session of a person's own leaves it to the next run. */
  #waits = false;
  #rounds = 0;
  #timer: string | undefined;
  /** Symbols whose exit could not even be wanted: said once. */
  readonly #said = new Set<string>();

  constructor(parts: FlattenParts) {
    this.#parts = parts;
  }

  /** Wanted, and not at its end. */
  get pending(): RecoveredFlatten | undefined {
    return this.#wish;
  }

  /** How far it came; undefined where none was wanted. */
  get state(): 'flat' | 'withdrawn' | 'unfinished' | undefined {
    return this.#wish === undefined ? this.#end : 'unfinished';
  }

  /** Wanted and under way in this life: nothing else is traded before its end. */
  get comesFirst(): boolean {
    return this.#wish !== undefined && !this.#waits;
  }

  /** Takes over the flatten of an earlier life. `waits`: this session does not carry it out. */
  takeOver(flatten: RecoveredFlatten, waits: boolean): void {
    const ordinal = this.#nextOrdinal(flatten.commandId);
    this.#wish = { ...flatten, ordinal, isInherited: true };
    this.#waits = waits;
  }

  begin(commandId: string, text: string): void {
    const ordinal = this.#nextOrdinal(commandId);
    this.#wish = { commandId, text, ordinal, isInherited: false };
    this.#waits = false;
    this.#parts.journal.flatten(commandId, 'wanted', text);
    this.#work();
  }

  /** At a start: orders are taken back at once, positions are closed as soon as they are known. */
  resume(): void {
    const { effects } = this.#parts;
    if (this.#wish === undefined) return;
    if (this.#waits) {
      effects.notify({ level: 'warn', text: `a flatten is not at its end: ${this.#wish.text}` });
      return;
    }
    effects.notify({ level: 'warn', text: `a flatten goes on: ${this.#wish.text}` });
    this.#work();
  }

  /** A person's word. Exits of it that are under way are taken back. */
  withdraw(text: string): void {
    const { effects } = this.#parts;
    if (this.#wish === undefined) {
      effects.notify({ level: 'warn', text: 'there is no flatten to drop' });
      return;
    }
    const { commandId } = this.#wish;
    this.#cancel((order) => isExitOf(order, commandId));
    this.#finish('withdrawn', text);
  }

  /** An order on its way has filled, ended or moved. */
  goOn(): void {
    if (this.comesFirst) this.#closeWhatIsLeft();
  }

  /** The venue has told something: it may be at its end. */
  look(): void {
    if (this.comesFirst && this.#isProved()) this.#finish('flat', 'flat, and proved');
  }

  /** Our own share of each position that is open. */
  left(): readonly OwnPosition[] {
    const { positions } = this.#parts;
    return [...positions.open()].flatMap(({ symbol, currency }) => {
      const quantity = positions.own(symbol, currency);
      return quantity === 0 ? [] : [{ symbol, currency, quantity }];
    });
  }

  #work(): void {
    this.#rounds = 0;
    this.#cancel(isNoMarketExit);
    this.#closeWhatIsLeft();
  }

  #cancel(which: (order: OwnOrder) => boolean): void {
    for (const order of [...this.#parts.ledger.allActive()]) {
      if (which(order)) this.#parts.protocol.cancel(order);
    }
  }

  /** By reduce-only market orders. An entry that fills after its cancel is met by the next round. */
  #closeWhatIsLeft(): void {
    this.#again();
    const { standing, ledger, agreed, readPositions } = this.#parts;
    if (!permits(standing.mode, true)) return;
    const left = this.left();
    for (const position of left) this.#close(position);
    // The poll may be a minute away.
    if (left.length === 0 && ledger.orders === 0 && !agreed()) readPositions();
  }

  #close({ symbol, currency, quantity }: OwnPosition): void {
    const wish = this.#wish;
    const left = subtract(absolute(quantity), this.#reducing(symbol, currency));
    if (wish === undefined || left <= 0) return;
    const cause: Cause = { kind: 'operator', commandId: wish.commandId };
    const rest = withSign(quantity > 0 ? 1 : -1, left);
    const exit = { cause, ordinal: wish.ordinal++, symbol, currency, quantity: rest };
    const obstacle = submitExit(this.#parts, exit);
    if (obstacle === undefined || this.#said.has(symbol)) return;
    this.#said.add(symbol);
    const text = `flatten cannot close ${textFromFixed(quantity)} ${symbol}: ${obstacle}`;
    this.#parts.effects.notify({ level: 'error', text });
  }

  /** By what is still wanted: what was given up, or waits for its cancel, may never reduce. */
  #reducing(symbol: string, currency: Currency): Quantity {
    let sum = ZERO as Quantity;
    for (const { terms, wanted, state, remaining } of this.#parts.ledger.active(symbol, currency)) {
      if (terms.reduceOnly && wanted && state !== 'quarantined') sum = add(sum, remaining);
    }
    return sum;
  }

  #isProved(): boolean {
    const { standing, ledger, agreed } = this.#parts;
    const sees = permits(standing.mode, true) && !standing.accessRefused;
    return sees && ledger.orders === 0 && agreed() && this.left().length === 0;
  }

  #again(): void {
    if (this.#timer !== undefined) return;
    this.#timer = this.#parts.desk.after(spaced(ROUNDS_MS, this.#rounds++), () => {
      this.#timer = undefined;
      this.look();
      this.goOn();
    });
  }

  #finish(state: 'flat' | 'withdrawn', text: string): void {
    const { desk, journal, effects } = this.#parts;
    const wish = this.#wish;
    if (wish === undefined) return;
    this.#wish = undefined;
    this.#end = state;
    desk.cancel(this.#timer);
    this.#timer = undefined;
    if (wish.isInherited) this.#tellClosed(wish.commandId);
    journal.flatten(wish.commandId, state, text);
    effects.notify({ level: 'info', text: `flatten: ${text}` });
  }

  /** Of this life and earlier ones, for who is started after it: with the same step that ends it. */
  #tellClosed(commandId: string): void {
    const before = new Map<string, Quantity>();
    for (const order of this.#parts.ledger.all) {
      const { symbol, side } = order.terms;
      if (!isExitOf(order, commandId) || order.filledQuantity === 0) continue;
      const stood = withSign(side === 'sell' ? 1 : -1, order.filledQuantity);
      before.set(symbol, add(before.get(symbol) ?? (ZERO as Quantity), stood));
    }
    for (const [symbol, stood] of before) this.#parts.closed(symbol, stood);
  }

  #nextOrdinal(commandId: string): number {
    const used = this.#parts.ledger.all.filter((order) => isExitOf(order, commandId));
    return Math.max(0, ...used.map(({ intent }) => intent.ordinal + 1));
  }
}

/** A market exit only helps; whatever else is open is taken back. */
export const isNoMarketExit = ({ terms }: OwnOrder): boolean =>
  !terms.reduceOnly || terms.type === 'limit';

const isExitOf = ({ intent: { strategyId, cause } }: OwnOrder, commandId: string): boolean =>
  strategyId === ENGINE_ID && cause.kind === 'operator' && cause.commandId === commandId;
