import {
  fixed,
  fixedFromText,
  type Amount,
  type Price,
  type Ratio,
} from '../../../src/core/fixed.js';
import type { Outcome, Reply, RequestOf, VenueRequest } from '../../../src/core/request.js';
import { createExchange } from '../../../src/exchange/create-exchange.js';
import type { SimulatedExchange } from '../../../src/exchange/simulated-exchange.js';
import { createSimulatedVenue } from '../../../src/exchange/simulated-venue.js';
import { STANDARD_LISTINGS } from '../../../src/sandbox/listings.js';
import { NOT_FOUND, unknown, yes } from '../../harness/protocol-rig.js';
import type { Agenda } from './agenda.js';
import type { Chance } from './chance.js';
import { LateReads } from './late-reads.js';
import type { LateRead, WalkPlan } from './walk-plan.js';
import { emptyPositions, refusalOfPlace } from './wire-answers.js';
import { scaledOf } from '../../harness/scaled.js';

export const START_MS = Date.UTC(2025, 4, 5, 6, 50);
export const WALKED = ['BTCUSDT', 'ETHUSDT'] as const;
export const LISTINGS = STANDARD_LISTINGS.filter(({ instrument }) =>
  WALKED.some((symbol) => symbol === instrument.symbol),
);
const TICK_MS = 500;
/** Between two `null`s, ms: three in five seconds are an evidence that the protocol takes (P28). */
const NULL_EVERY_MS = 12_000;
const text = <Unit extends string>(value: string) => fixedFromText<Unit>(value);

/** The real exchange, and everything that can happen to what is asked of it. */
export class WalkVenue {
  readonly exchange: SimulatedExchange;
  readonly reads: LateReads;
  readonly #agenda: Agenda;
  readonly #chance: Chance;
  readonly #plan: WalkPlan;
  readonly #venue;
  /** Places that were answered with a lock, by client order id. */
  readonly locks = new Map<string, number>();
  /** The newest answer to a place was one. */
  readonly locked = new Set<string>();
  /** Nothing befalls what is asked from now on. */
  quiet = false;
  #nullAt = Number.NEGATIVE_INFINITY;

  constructor(agenda: Agenda, chance: Chance, plan: WalkPlan) {
    let ids = 0;
    this.#agenda = agenda;
    this.#chance = chance;
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
    this.#venue = createSimulatedVenue(this.exchange, { ids: true });
    this.reads = new LateReads(this.exchange);
    for (const { instrument, referencePrice } of LISTINGS)
      this.#price(instrument.symbol, fixed(Math.round(referencePrice * 1e8)), 'jump');
    this.#tick();
  }

  get venueTime(): number {
    return START_MS + Math.floor(this.#agenda.now);
  }

  /** Moves the exchange's time here and looks at what that did. */
  look(): void {
    this.exchange.setTime(this.venueTime);
    this.reads.look(this.#agenda.now);
  }

  /** Sends a request on its way; the answer comes later, or never where the connection is dead. */
  carry(request: VenueRequest, answered: (reply: Reply) => void): void {
    const there = this.#chance.between(5, 60);
    const back = this.#chance.between(5, 60);
    if (request.kind === 'place') {
      this.#carryPlace(request, { there, back }, answered);
      return;
    }
    this.#agenda.after(there, () => {
      const reply = { to: request.kind, outcome: this.#answer(request) } as Reply;
      this.#agenda.after(back, () => {
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
    const chance = this.#chance;
    // The terms as they are now: the order may be amended meanwhile.
    const { clientOrderId, terms } = request;
    const copy = { kind: 'place', clientOrderId, terms } as const;
    const reply = (outcome: Outcome<never>, afterMs = back): void => {
      this.#agenda.after(there + afterMs, () => {
        answered({ to: 'place', outcome });
      });
    };
    this.locked.delete(clientOrderId);
    if (this.quiet || !chance.is(this.#plan.placeFaults)) {
      this.#agenda.after(there, () => {
        const landed = this.#land(copy);
        this.#agenda.after(back, () => {
          answered(landed);
        });
      });
      return;
    }
    switch (chance.between(0, 6)) {
      case 0:
        this.#agenda.after(there, () => this.#land(copy));
        reply(unknown(), 10_000);
        return;
      case 1:
        this.#agenda.after(there, () => this.#land(copy));
        reply(unknown(500));
        return;
      case 2:
        reply(unknown(), chance.pick([50, 10_000]));
        return;
      case 3:
        this.#agenda.after(chance.between(9_000, 40_000), () => this.#land(copy));
        reply(unknown(), 10_000);
        return;
      case 4:
        reply(refusalOfPlace('limited'));
        return;
      default:
        this.locks.set(clientOrderId, (this.locks.get(clientOrderId) ?? 0) + 1);
        this.locked.add(clientOrderId);
        reply(refusalOfPlace('locked'));
    }
  }

  #land(request: RequestOf<'place'>): Reply {
    this.exchange.setTime(this.venueTime);
    const reply = this.#venue.reply(request);
    this.#agenda.after(this.#chance.between(20, 400), () => {
      this.exchange.settle(request.terms.symbol);
    });
    return reply;
  }

  // --- everything else -----------------------------------------------------------------------------

  #answer(request: VenueRequest): unknown {
    this.exchange.setTime(this.venueTime);
    if (this.#fails(request.kind)) return unknown(500);
    switch (request.kind) {
      case 'find-order': {
        const report = this.reads.order(request.order, this.#moment('lookups'));
        return report === undefined ? NOT_FOUND : yes(report);
      }
      case 'read-positions':
        return this.#positions();
      case 'read-open-orders':
        return yes(this.reads.at(this.#moment('orders')).open);
      case 'read-order-history':
        return yes(this.reads.at(this.#moment('history')).history);
      case 'read-closes':
        return yes(this.reads.at(this.#moment('closes')).closes);
      default:
        return this.#venue.reply(request).outcome;
    }
  }

  #fails(kind: VenueRequest['kind']): boolean {
    if (this.quiet) return false;
    const { blind, readFaults } = this.#plan;
    if (kind === 'find-order' && this.#isIn(blind)) return true;
    return this.#chance.is(readFaults);
  }

  #positions(): unknown {
    const { blips, empty } = this.#plan;
    if (!this.quiet && this.#isIn(empty)) return emptyPositions('{"success":true}');
    const { now } = this.#agenda;
    if (!this.quiet && now >= this.#nullAt + NULL_EVERY_MS && this.#chance.is(blips)) {
      this.#nullAt = now;
      return emptyPositions('{"success":true,"data":null}');
    }
    return yes(this.reads.at(this.#moment('positions')).positions);
  }

  #isIn(episode: WalkPlan['blind']): boolean {
    const { now } = this.#agenda;
    return episode !== undefined && now >= episode.from && now < episode.from + episode.forMs;
  }

  /** Which moment a read shows. */
  #moment(read: LateRead): number {
    const { now } = this.#agenda;
    this.look();
    const most = this.#plan.lateness[read];
    if (this.quiet || most === 0) return now;
    return now - (this.#chance.is(0.6) ? most : this.#chance.between(0, most));
  }

  // --- prices --------------------------------------------------------------------------------------

  #tick(): void {
    this.#agenda.after(TICK_MS, () => {
      this.exchange.setTime(this.venueTime);
      for (const { instrument } of LISTINGS) {
        const { symbol, priceStep } = instrument;
        const moved = this.last(symbol) * (1 + (this.#chance.between(-100, 100) / 100) * 0.0008);
        this.#price(
          symbol,
          fixed(Math.round(moved / scaledOf(priceStep)) * scaledOf(priceStep)),
          'sweep',
        );
      }
      this.#tick();
    });
  }

  #price(symbol: string, price: Price, how: 'jump' | 'sweep'): void {
    this.exchange[how](symbol, price, price);
  }
}
