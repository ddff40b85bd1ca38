import type { Clock, Scheduler } from '../../src/core/ports.js';

/** Real time as the venue under test has it. */
export interface RealTime {
  wait(ms: number): Promise<void>;
  monotonicMs(): number;
  /** For what else must live on this time: the client library. */
  readonly port: Clock & Scheduler;
}

/** The venue that the cases are run against. */
export interface Target {
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly secret: string;
  /** It has a sandbox's control paths. */
  readonly controls: boolean;
  /** Its rate limits are on: cases that do not judge them are paced. */
  readonly limits: boolean;
  /** How its venue time moves: obeying POST /sandbox/clock, or so many times as fast as real time. */
  readonly clock: 'manual' | number;
  readonly time: RealTime;
  close(): Promise<void>;
}
