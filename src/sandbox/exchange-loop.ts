import type { Cancel, Scheduler } from '../core/ports.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import type { PriceDriver } from './price/price-driver.js';
import type { ClockMode, SandboxClock } from './sandbox-clock.js';
import type { Streams } from './stream/streams.js';

/** Least real ms between two ticks. On a fast clock one tick covers several venue seconds. */
const TICK_MS = 16;
/** Real ms from acceptance to fill: fills are asynchronous on every clock. */
const MATCH_DELAY_MS = 20;

export interface ExchangeLoopParts {
  readonly clock: SandboxClock;
  readonly priceDriver: PriceDriver;
  readonly streams: Streams;
  readonly exchange: SimulatedExchange;
  readonly scheduler: Scheduler;
}

/** Advances exchange and streams to the venue clock, by timers and before each read. */
export class ExchangeLoop {
  readonly #parts: ExchangeLoopParts;
  #isRunning = false;
  #cancelTick: Cancel | undefined;
  #cancelMatch: Cancel | undefined;

  constructor(parts: ExchangeLoopParts) {
    this.#parts = parts;
  }

  /** Applies all prices up to the current venue time and flushes the streams. */
  catchUp(): void {
    const { priceDriver, clock, streams } = this.#parts;
    priceDriver.advanceTo(clock.now());
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
    this.#cancelMatch?.();
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

  setClock(mode: ClockMode): void {
    this.catchUp();
    this.#parts.clock.setMode(mode);
    this.#schedule();
  }

  /** @returns false unless the clock is manual */
  advance(ms: number): boolean {
    const isManual = this.#parts.clock.advance(ms);
    this.catchUp();
    return isManual;
  }

  /** Matches accepted orders after a real-time delay, also while the venue clock is held. */
  matchSoon(): void {
    this.#cancelMatch ??= this.#parts.scheduler.after(MATCH_DELAY_MS, () => {
      this.#cancelMatch = undefined;
      this.catchUp();
      this.#parts.exchange.matchPending();
    });
  }

  #schedule(): void {
    this.#cancelTick?.();
    this.#cancelTick = undefined;
    const { clock, priceDriver, scheduler } = this.#parts;
    const waitMs = clock.realMsUntil(priceDriver.nextSecondMs);
    if (!this.#isRunning || waitMs === undefined) return;
    this.#cancelTick = scheduler.after(Math.max(TICK_MS, waitMs), () => {
      this.catchUp();
      this.#schedule();
    });
  }
}
