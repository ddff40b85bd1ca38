import type { Candle } from '../../../src/core/candle.js';
import type { ExchangeEvent } from '../../../src/exchange/simulated-exchange.js';
import type { JournalLine } from './journal-tap.js';
import type { SimWorld } from './world.js';

/** One HTTP request of a bot, as it left. */
export interface Sent {
  readonly sequence: number;
  /** Virtual ms. */
  readonly at: number;
  readonly venueMs: number;
  /** Which process sent it, from 1. */
  readonly process: number;
  readonly method: string;
  /** Without the origin. */
  readonly path: string;
  readonly query: string;
  readonly body: string;
  /** Client order id of a v2 place; of a look or cancel by it. */
  readonly clientOrderId: string | undefined;
  readonly isPlace: boolean;
  /** Set once the process has it. */
  answer?: Answer;
  answeredAt?: number;
}

export interface Answer {
  /** undefined: none came. */
  readonly status?: number;
  readonly body: string;
  /** false: proof that no byte left. */
  readonly sent: boolean;
}

/** What is wrong, or undefined. */
export type Finding = string | undefined;

/** Looks at a whole run, event by event. What it returns is a violation. */
export interface Watcher {
  /** Before the bytes leave. */
  readonly send?: (sent: Sent) => Finding;
  readonly answer?: (sent: Sent) => Finding;
  /** A journal record became durable. */
  readonly record?: (line: JournalLine) => Finding;
  readonly venue?: (event: ExchangeEvent) => Finding;
  /** A strategy was shown a closed candle. */
  readonly heard?: (symbol: string, candle: Candle) => Finding;
  /** Something of the above happened, and all that follows from it at once has happened. */
  readonly settled?: () => Finding;
  /** The process has ended, dead or not. */
  readonly died?: () => Finding;
  /** Faults are over for long enough. */
  readonly quiet?: () => Finding;
  /** Some seconds after that, in which nothing was left to do. */
  readonly still?: () => Finding;
  /** The run is over: the whole trace. */
  readonly over?: () => Finding | Promise<Finding>;
}

/** A property of part 3 of the reliability research. */
export interface Check {
  readonly id: string;
  readonly name: string;
  readonly watch: (world: SimWorld) => Watcher;
}

/** A branch so rare that a run must prove that it was there (P33). */
export interface Branch {
  readonly name: string;
  readonly watch: (world: SimWorld, reached: () => void) => Watcher;
}
