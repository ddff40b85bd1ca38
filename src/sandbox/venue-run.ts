import type { Cancel, Scheduler } from '../core/ports.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import type { PricePump } from './price-pump.js';
import type { SandboxClock } from './sandbox-clock.js';
import type { Streams } from './streams.js';

/** Real ms from a tick to the next at least: on a fast clock a tick visits several seconds. */
const TICK_MS = 16;
/** Real ms from an acceptance to its fill: fills are asynchronous, on every clock. */
const SETTLE_MS = 20;

export interface VenueRunParts {
  readonly clock: SandboxClock;
  readonly pump: PricePump;
  readonly streams: Streams;
  readonly exchange: SimulatedExchange;
  readonly scheduler: Scheduler;
}

/** Keeps exchange and streams up with the venue clock, by timers and whenever someone looks. */
export class VenueRun {
  readonly #parts: VenueRunParts;
  #isRunning = false;
  #cancelTick: Cancel | undefined;
  #cancelSettle: Cancel | undefined;

  constructor(parts: VenueRunParts) {
    this.#parts = parts;
  }

  /** Tells the exchange and the streams all that happened until now. */
  catchUp(): void {
    const { pump, clock, streams } = this.#parts;
    pump.run(clock.now());
    streams.flush();
  }

  start(): void {
    this.#isRunning = true;
    this.catchUp();
    this.#schedule();
  }

  stop(): void {
    this.#isRunning = false;
    this.#cancelTick?.();
    this.#cancelSettle?.();
    this.#parts.streams.closeAll();
  }

  hold(): void {
    this.catchUp();
    this.#parts.clock.hold();
    this.#schedule();
  }

  release(): void {
    this.#parts.clock.release();
    this.#schedule();
  }

  /** False unless the clock is manual. */
  advance(ms: number): boolean {
    const isManual = this.#parts.clock.advance(ms);
    this.catchUp();
    return isManual;
  }

  /** Accepted orders meet the market shortly after, in real time: also when the venue clock stands. */
  settleSoon(): void {
    this.#cancelSettle ??= this.#parts.scheduler.after(SETTLE_MS, () => {
      this.#cancelSettle = undefined;
      this.catchUp();
      this.#parts.exchange.settle();
    });
  }

  #schedule(): void {
    this.#cancelTick?.();
    this.#cancelTick = undefined;
    const { clock, pump, scheduler } = this.#parts;
    const waitMs = clock.realMsUntil(pump.nextSecondMs);
    if (!this.#isRunning || waitMs === undefined) return;
    this.#cancelTick = scheduler.after(Math.max(TICK_MS, waitMs), () => {
      this.catchUp();
      this.#schedule();
    });
  }
}
