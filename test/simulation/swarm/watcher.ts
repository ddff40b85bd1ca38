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
  response?: ReceivedResponse;
  respondedAt?: number;
}

export interface ReceivedResponse {
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
  readonly onSend?: (sent: Sent) => Finding;
  readonly onResponse?: (sent: Sent) => Finding;
  /** A journal record became durable. */
  readonly onRecord?: (line: JournalLine) => Finding;
  readonly onVenueEvent?: (event: ExchangeEvent) => Finding;
  /** A strategy was shown a closed candle. */
  readonly onCandle?: (symbol: string, candle: Candle) => Finding;
  /** Something of the above happened, and all that follows from it at once has happened. */
  readonly onSettled?: () => Finding;
  /** The process has ended, dead or not. */
  readonly onProcessEnd?: () => Finding;
  /** Faults are over for long enough. */
  readonly onQuiet?: () => Finding;
  /** Some seconds after that, in which nothing was left to do. */
  readonly onIdle?: () => Finding;
  /** The run is over: the whole trace. */
  readonly onRunEnd?: () => Finding | Promise<Finding>;
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
