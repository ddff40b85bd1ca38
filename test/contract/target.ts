import type { Clock, Scheduler } from '../../src/core/ports.js';

/** Real time of the venue under test. */
export interface RealTime {
  wait(ms: number): Promise<void>;
  monotonicMs(): number;
  /** For the client library, which must use the same time. */
  readonly port: Clock & Scheduler;
}

/** The venue under test. */
export interface Target {
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly secret: string;
  /** Whether it has the control paths of a sandbox. */
  readonly controls: boolean;
  /** Whether its rate limits are on. Cases that do not test them are paced. */
  readonly limits: boolean;
  /** Its venue time: set by POST /sandbox/clock, or this many times as fast as real time. */
  readonly clock: 'manual' | number;
  readonly time: RealTime;
  close(): Promise<void>;
}
