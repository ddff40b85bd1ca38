import type { OrderReport, OrderTerms } from '../../core/order.js';
import { Canceling } from './canceling.js';
import { Looking } from './looking.js';
import { couldBeOf } from './order-comparison.js';
import { IdFence } from './id-fence.js';
import type { EndState, OrderMove } from './order-state.js';
import { mayBeResolved, type OwnOrder } from './own-order.js';
import { Placing } from './placing.js';
import type { ProtocolParts } from '../protocol-parts.js';

/**
 * Places and cancels, exactly once (reliability part 0). An outcome belongs to the intent, not to an
 * attempt: a timeout is no failure, a 409 no success, and a refusal after an unclear attempt no proof
 * of anything. Every effect that leaves is journaled before.
 */
export class OrderProtocol {
  readonly #parts: ProtocolParts;
  readonly #placing: Placing;
  readonly #looking: Looking;
  readonly #canceling: Canceling;
  readonly #fence: IdFence;

  constructor(parts: Omit<ProtocolParts, 'end'>) {
    this.#parts = {
      ...parts,
      end: (order, move, reason) => {
        this.#end(order, move, reason);
      },
    };
    this.#looking = new Looking(this.#parts, {
      sendAgain: (order) => this.#placing.sendAgain(order),
      found: (order) => {
        this.#canceling.met(order);
      },
      absent: (order) => {
        this.#fence.attempt(order);
      },
    });
    this.#placing = new Placing(this.#parts, this.#looking);
    this.#fence = new IdFence(this.#parts, this.#looking);
    this.#canceling = new Canceling(this.#parts, this.#placing, this.#looking);
  }

  submit(order: OwnOrder): void {
    this.#parts.ledger.add(order);
    this.#parts.journal.intent(order);
    this.#placing.requestAttempt(order);
  }

  /** Takes up an order that an earlier life of this process left behind. */
  resume(order: OwnOrder): void {
    if (order.ended) return;
    const { world } = this.#parts;
    if (order.unknownSeen || order.state === 'sent') order.unprovedSince = world.stamp.monotonic;
    if (order.state === 'waiting') this.#resumeWaiting(order);
    else if (order.state === 'sent') this.#placing.uncertain(order, 'no answer was journaled');
    else {
      // A cancel that was wanted and may not have left.
      if (order.state === 'accepted') this.#canceling.met(order);
      if (order.state === 'accepted' && order.terms.type === 'limit') this.#looking.resume(order);
      else this.#looking.look(order, 0);
    }
  }

  /** The venue has certainly not got it: an entry of an earlier life is dropped, an exit goes out. */
  #resumeWaiting(order: OwnOrder): void {
    const tooOld = this.#parts.world.tooOld(order);
    if (!order.wanted) this.#placing.withdraw(order, 'it was withdrawn');
    else if (tooOld !== undefined) this.#placing.withdraw(order, tooOld);
    else this.#placing.requestAttempt(order);
  }

  /** Holds every attempt back until `goOn`. */
  pause(): void {
    this.#placing.pause();
  }

  goOn(): void {
    this.#placing.goOn();
  }

  /** A person vouches for it: an order without a proved outcome never landed. @returns whether it had none */
  neverLanded(order: OwnOrder): boolean {
    if (!mayBeResolved(order)) return false;
    if (order.state === 'sent') order.move('unknown');
    this.#parts.end(order, 'resolved', 'a person says that it never landed');
    return true;
  }

  /** Safe to repeat. */
  cancel(order: OwnOrder): void {
    this.#canceling.cancel(order);
  }

  /** Looks at once at every order of a symbol that the venue has or may have. */
  hurry(symbol: string, currency: OrderTerms['currency']): void {
    for (const order of this.#parts.ledger.active(symbol, currency)) this.#looking.hurry(order);
  }

  /** Looks at once at every order that no list has shown lately. What is held back was just looked for. */
  hurryUnlisted(): void {
    for (const order of [...this.#parts.ledger.allActive()])
      if (!this.#placing.holds(order)) this.#looking.hurryUnlisted(order);
  }

  /** The same for what was not found and is held back: bytes that left before may have landed. */
  hurryHeld(): void {
    for (const order of [...this.#parts.ledger.allActive()])
      if (this.#placing.holds(order)) this.#looking.hurry(order);
  }

  /** A list of open orders shows it: it is found, whatever the lookup by its id says. */
  listed(order: OwnOrder, report: OrderReport, startedAt: number): void {
    if (order.unproved) this.#looking.report(order, report, startedAt);
    this.#looking.listed(order, report, startedAt);
  }

  /** A list of open orders, asked for at `startedAt`, has it or lacks it. */
  unlisted(order: OwnOrder, lacking: boolean, startedAt: number): void {
    this.#looking.unlisted(order, lacking, startedAt);
  }

  /** The truth about an order, from a venue in this process. */
  tell(order: OwnOrder, report: OrderReport): void {
    this.#looking.tell(order, report);
  }

  /** Whether an order of the venue, which may not tell its client id, could be this one. */
  couldBe(order: OwnOrder, report: OrderReport): boolean {
    if (report.clientOrderId !== undefined) return report.clientOrderId === order.clientOrderId;
    return couldBeOf(order, report) && !this.#parts.ledger.hasOrderId(report.orderId);
  }

  #end(order: OwnOrder, move: OrderMove, reason: string | undefined): void {
    const { desk, ledger, journal, world } = this.#parts;
    order.move(move);
    order.endReason = reason;
    const end = order.state as EndState;
    desk.cancel(order.timer);
    order.timer = undefined;
    ledger.end(order);
    journal.ended(order, end, reason);
    world.ended(order, end, reason);
  }
}
