import type { PositionMove } from '../../core/account.js';
import { numberFromFixed, ZERO, type Quantity } from '../../core/fixed.js';
import type { EntrySettings } from '../entry-settings.js';
import type { Exits } from '../exits.js';
import { laneOfTimer } from '../lane.js';
import type { StrategyForm } from '../form/form.js';
import type { OrderDesk } from '../order-desk.js';
import type { Trader } from '../trader.js';
import type { PositionChange } from '../views.js';
import type { FillEvent, MovedBy, OrderEnd } from '../world.js';
import type { EventQueue } from './event-queue.js';
import type { Call, HookCaller } from './hook-caller.js';
import type { Life } from './life.js';
import { causeOfNow } from './step.js';

export interface AccountTellerParts {
  readonly symbols: readonly string[];
  readonly queue: EventQueue;
  readonly form: StrategyForm;
  readonly life: Life;
  readonly calls: HookCaller;
  readonly desk: OrderDesk;
  readonly trader: Trader;
  readonly exits: Exits;
  readonly entrySettings: EntrySettings;
}

/** Tells a strategy what became of its orders and positions, after those who trade for it. */
export class AccountTeller {
  readonly #parts: AccountTellerParts;
  /** As believed before the last change. */
  readonly #positions = new Map<string, Quantity>();

  constructor(parts: AccountTellerParts) {
    this.#parts = parts;
  }

  /** What a life before this one has left. */
  adopt(): void {
    const { symbols, desk, trader, entrySettings } = this.#parts;
    for (const symbol of symbols) {
      desk.adoptEntries(symbol);
      trader.lane(symbol)?.restore(entrySettings.adopt(symbol));
      this.#positions.set(symbol, desk.world.position(symbol));
    }
  }

  /** True when a lane had asked for it. */
  timer(key: string): boolean {
    const symbol = laneOfTimer(key);
    if (symbol === undefined) return false;
    const { life, trader } = this.#parts;
    if (life.trades) trader.lane(symbol)?.due();
    return true;
  }

  movedWhileDown(symbol: string, before: Quantity, why?: string): void {
    const { queue, trader } = this.#parts;
    queue.handle(() => {
      trader.lane(symbol)?.movedWhileDown(before, why);
    });
  }

  resume(symbol: string): void {
    this.#parts.queue.handle(() => {
      this.#parts.trader.lane(symbol)?.resume();
    });
  }

  fill(fill: FillEvent): void {
    const { queue, desk, trader, form, calls } = this.#parts;
    const { symbol } = fill;
    queue.handle(() => {
      trader.fill(fill, desk.fill(fill));
      this.#seePosition(symbol);
      const { hearsFills, hearsPositions } = form;
      if (!hearsFills && !hearsPositions) return;
      const cause = desk.causeOf(fill);
      if (hearsFills) calls.fact({ hook: 'onFill', cause, symbol }, () => form.fill(fill));
      if (hearsPositions) this.#tellPosition({ hook: 'onPosition', cause, symbol }, symbol, 'fill');
    });
  }

  orderEnded(end: OrderEnd): void {
    const { queue, life, desk, trader, form, calls } = this.#parts;
    queue.handle(() => {
      if (life.trades) trader.ended(end);
      if (!form.hearsOrders) return;
      const { symbol } = end.intent.terms;
      const call = { hook: 'onOrder', cause: desk.causeOfEnd(end), symbol };
      calls.fact(call, () => form.ended(end));
    });
  }

  positionMoved(symbol: string, by: MovedBy, moved: PositionMove = 'external'): void {
    const { queue, life, desk, trader, form } = this.#parts;
    queue.handle(() => {
      if (life.trades) trader.lane(symbol)?.moved(by);
      this.#seePosition(symbol);
      const { hearsMarket, hearsPositions } = form;
      if (!hearsMarket && !hearsPositions) return;
      const cause = causeOfNow(desk.world, `position:${symbol}`);
      const hook = hearsPositions ? 'onPosition' : 'position$';
      this.#tellPosition({ hook, cause, symbol }, symbol, moved);
    });
  }

  #seePosition(symbol: string): void {
    this.#parts.exits.moved(symbol);
    this.#parts.entrySettings.moved(symbol);
  }

  #tellPosition(call: Call, symbol: string, reason: PositionChange['reason']): void {
    const { desk, form, calls } = this.#parts;
    const before = this.#positions.get(symbol) ?? (ZERO as Quantity);
    this.#positions.set(symbol, desk.world.position(symbol));
    calls.fact(call, () => form.moved(symbol, numberFromFixed(before), reason));
  }
}
