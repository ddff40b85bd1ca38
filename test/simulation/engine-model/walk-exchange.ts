import {
  fixed,
  fixedFromText,
  type Amount,
  type Price,
  type Ratio,
} from '../../../src/core/fixed/fixed.js';
import type { Outcome, Reply, RequestOf, VenueRequest } from '../../../src/core/request.js';
import { createExchange } from '../../../src/exchange/create-exchange.js';
import type { SimulatedExchange } from '../../../src/exchange/simulated-exchange.js';
import { createExchangeGateway } from '../../../src/exchange/exchange-gateway.js';
import { STANDARD_LISTINGS } from '../../../src/market/synthetic/listings.js';
import { NOT_FOUND, unknown, yes } from '../../support/rigs/protocol-rig.js';
import type { Schedule } from './schedule.js';
import type { Rng } from './rng.js';
import { ViewHistory } from './view-history.js';
import type { LateRead, WalkPlan } from './walk-plan.js';
import { emptyPositions, placeRejection } from './wire-responses.js';
import { scaledOf } from '../../support/builders/scaled.js';

export const START_MS = Date.UTC(2025, 4, 5, 6, 50);
export const TRADED_SYMBOLS = ['BTCUSDT', 'ETHUSDT'] as const;
export const LISTINGS = STANDARD_LISTINGS.filter(({ instrument }) =>
  TRADED_SYMBOLS.some((symbol) => symbol === instrument.symbol),
);
const TICK_MS = 500;
/** Between two `null`s, ms: three in five seconds are an evidence that the protocol takes (P28). */
const NULL_EVERY_MS = 12_000;
const text = <Unit extends string>(value: string) => fixedFromText<Unit>(value);

/** The real exchange, and everything that can happen to what is asked of it. */
export class WalkExchange {
  readonly exchange: SimulatedExchange;
  readonly reads: ViewHistory;
  readonly #schedule: Schedule;
  readonly #rng: Rng;
  readonly #plan: WalkPlan;
  readonly #venue;
  /** Places that were answered with a lock, by client order id. */
  readonly locks = new Map<string, number>();
  /** The newest answer to a place was one. */
  readonly locked = new Set<string>();
  /** Nothing befalls what is asked from now on. */
  quiet = false;
  #nullAt = Number.NEGATIVE_INFINITY;

  constructor(schedule: Schedule, rng: Rng, plan: WalkPlan) {
    let ids = 0;
    this.#schedule = schedule;
    this.#rng = rng;
    this.#plan = plan;
    this.exchange = createExchange({
      listings: LISTINGS,
      takerFeeRate: text('0.00059'),
      makerFeeRate: text('0.00023'),
      spot: { USDT: text<'USDT'>('100000') as Amount, INR: text<'INR'>('0') as Amount },
      futures: { USDT: text<'USDT'>('10000') as Amount, INR: text<'INR'>('0') as Amount },
      hedgeRate: text<'ratio'>('96') satisfies Ratio,
      nextId: () => `venue-${(ids += 1)}`,
      startMs: START_MS,
    });
    this.#venue = createExchangeGateway(this.exchange, { ids: true });
    this.reads = new ViewHistory(this.exchange);
    for (const { instrument, referencePrice } of LISTINGS)
      this.#price(instrument.symbol, fixed(Math.round(referencePrice * 1e8)), 'gapTo');
    this.#tick();
  }

  get venueTime(): number {
    return START_MS + Math.floor(this.#schedule.now);
  }

  /** Moves the exchange's time here and looks at what that did. */
  recordView(): void {
    this.exchange.setTime(this.venueTime);
    this.reads.recordView(this.#schedule.now);
  }

  /** Sends a request on its way; the answer comes later, or never where the connection is dead. */
  carry(request: VenueRequest, answered: (reply: Reply) => void): void {
    const there = this.#rng.between(5, 60);
    const back = this.#rng.between(5, 60);
    if (request.kind === 'place') {
      this.#carryPlace(request, { there, back }, answered);
      return;
    }
    this.#schedule.after(there, () => {
      const reply = { to: request.kind, outcome: this.#answer(request) } as Reply;
      this.#schedule.after(back, () => {
        answered(reply);
      });
    });
  }

  last(symbol: string): number {
    return scaledOf(this.exchange.prices(symbol)?.last ?? 0);
  }

  // --- places --------------------------------------------------------------------------------------

  #carryPlace(
    request: RequestOf<'place'>,
    { there, back }: { readonly there: number; readonly back: number },
    answered: (reply: Reply) => void,
  ): void {
    const rng = this.#rng;
    // The terms as they are now: the order may be amended meanwhile.
    const { clientOrderId, terms } = request;
    const copy = { kind: 'place', clientOrderId, terms } as const;
    const reply = (outcome: Outcome<never>, afterMs = back): void => {
      this.#schedule.after(there + afterMs, () => {
        answered({ to: 'place', outcome });
      });
    };
    this.locked.delete(clientOrderId);
    if (this.quiet || !rng.bool(this.#plan.placeFaults)) {
      this.#schedule.after(there, () => {
        const accepted = this.#acceptPlace(copy);
        this.#schedule.after(back, () => {
          answered(accepted);
        });
      });
      return;
    }
    switch (rng.between(0, 6)) {
      case 0:
        this.#schedule.after(there, () => this.#acceptPlace(copy));
        reply(unknown(), 10_000);
        return;
      case 1:
        this.#schedule.after(there, () => this.#acceptPlace(copy));
        reply(unknown(500));
        return;
      case 2:
        reply(unknown(), rng.pick([50, 10_000]));
        return;
      case 3:
        this.#schedule.after(rng.between(9_000, 40_000), () => this.#acceptPlace(copy));
        reply(unknown(), 10_000);
        return;
      case 4:
        reply(placeRejection('limited'));
        return;
      default:
        this.locks.set(clientOrderId, (this.locks.get(clientOrderId) ?? 0) + 1);
        this.locked.add(clientOrderId);
        reply(placeRejection('locked'));
    }
  }

  #acceptPlace(request: RequestOf<'place'>): Reply {
    this.exchange.setTime(this.venueTime);
    const reply = this.#venue.reply(request);
    this.#schedule.after(this.#rng.between(20, 400), () => {
      this.exchange.matchPending(request.terms.symbol);
    });
    return reply;
  }

  // --- everything else -----------------------------------------------------------------------------

  #answer(request: VenueRequest): unknown {
    this.exchange.setTime(this.venueTime);
    if (this.#fails(request.kind)) return unknown(500);
    switch (request.kind) {
      case 'find-order': {
        const report = this.reads.order(request.order, this.#visibleAt('lookups'));
        return report === undefined ? NOT_FOUND : yes(report);
      }
      case 'read-positions':
        return this.#positions();
      case 'read-open-orders':
        return yes(this.reads.at(this.#visibleAt('orders')).open);
      case 'read-order-history':
        return yes(this.reads.at(this.#visibleAt('history')).history);
      case 'read-closes':
        return yes(this.reads.at(this.#visibleAt('closes')).closes);
      default:
        return this.#venue.reply(request).outcome;
    }
  }

  #fails(kind: VenueRequest['kind']): boolean {
    if (this.quiet) return false;
    const { failedLookups, readFaults } = this.#plan;
    if (kind === 'find-order' && this.#isDuring(failedLookups)) return true;
    return this.#rng.bool(readFaults);
  }

  #positions(): unknown {
    const { nullReads, emptyLists } = this.#plan;
    if (!this.quiet && this.#isDuring(emptyLists)) return emptyPositions('{"success":true}');
    const { now } = this.#schedule;
    if (!this.quiet && now >= this.#nullAt + NULL_EVERY_MS && this.#rng.bool(nullReads)) {
      this.#nullAt = now;
      return emptyPositions('{"success":true,"data":null}');
    }
    return yes(this.reads.at(this.#visibleAt('positions')).positions);
  }

  #isDuring(episode: WalkPlan['failedLookups']): boolean {
    const { now } = this.#schedule;
    return episode !== undefined && now >= episode.from && now < episode.from + episode.forMs;
  }

  /** Which moment a read shows. */
  #visibleAt(read: LateRead): number {
    const { now } = this.#schedule;
    this.recordView();
    const most = this.#plan.lateness[read];
    if (this.quiet || most === 0) return now;
    return now - (this.#rng.bool(0.6) ? most : this.#rng.between(0, most));
  }

  // --- prices --------------------------------------------------------------------------------------

  #tick(): void {
    this.#schedule.after(TICK_MS, () => {
      this.exchange.setTime(this.venueTime);
      for (const { instrument } of LISTINGS) {
        const { symbol, priceStep } = instrument;
        const moved = this.last(symbol) * (1 + (this.#rng.between(-100, 100) / 100) * 0.0008);
        this.#price(
          symbol,
          fixed(Math.round(moved / scaledOf(priceStep)) * scaledOf(priceStep)),
          'moveThrough',
        );
      }
      this.#tick();
    });
  }

  #price(symbol: string, price: Price, how: 'gapTo' | 'moveThrough'): void {
    this.exchange[how](symbol, price, price);
  }
}
