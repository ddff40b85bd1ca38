import type {
  Clock,
  Files,
  Gzip,
  Logger,
  Net,
  ProcessFacts,
  Random,
  Scheduler,
} from '../../core/ports.js';
import type { RateUsage } from '../../io/net/rate-budget.js';
import type { ManualSymbol } from '../../engine/operator/manual-trading.js';
import type { Note } from '../../execution/effects.js';
import type { HostObserver } from '../../strategy/host/strategy-host.js';
import type { SecretSource } from '../../venue/futures-api/http/secret.js';
import type { SluiceConfig } from '../../config/config.js';
import type {
  LoadedStrategy,
  StrategyInstanceInputs,
  ThreadedStrategy,
} from '../strategies/strategy-instances.js';
import type { RetryPolicy } from './bot-parts.js';

export interface BotPorts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly files: Files;
  readonly net: Net;
  readonly facts: ProcessFacts;
  /** Absent: compresses synchronously, in the bot's own thread. */
  readonly gzip?: Gzip;
  /** Version of the program, for the record. Absent: unknown. */
  readonly version?: string;
}

export interface BotOptions {
  readonly config: SluiceConfig;
  readonly strategies: StrategyInstanceInputs['strategies'];
  /** Strategies of later starts, by `strategyRunKey`: an entry precedes its command. */
  readonly restarts?: ReadonlyMap<string, LoadedStrategy | ThreadedStrategy>;
  /** An operator's session; `desk` is the symbol that it trades, if any. No strategy runs in it. */
  readonly operator?: { readonly desk?: ManualSymbol };
  readonly baseUrl: string;
  readonly wsUrl: string;
  /** Optional in a paper run only. */
  readonly secret?: SecretSource;
  readonly stateDir: string;
  readonly ports: BotPorts;
  readonly logger: Logger;
  /** Source of the secret, for messages. */
  readonly secretFrom?: string;
  /** Rate limits that another client of this process has used for the same account. */
  readonly earlierUsage?: RateUsage;
  /** Action for a person when the venue refuses the key in mid-run. */
  readonly keyAdvice?: string;
  /** Receives each note beside the log: the command line shows some of them. */
  readonly notice?: (note: Note) => void;
  /** Observes the strategies' decisions on their candles. */
  readonly observer?: HostObserver;
  /** Retries the requests of the start; absent: one attempt each. */
  readonly withRetry?: RetryPolicy;
  /** Journal records after which a start or stop compacts; absent: the default. */
  readonly compactAfter?: number;
  /** Bytes of the record after which it rotates to another file; absent: the default. */
  readonly recordPartBytes?: number;
  /** Ended orders that stay whole in memory; absent: the default. */
  readonly keptEndedOrders?: number;
  /** A kill switch that is set does not refuse the start: the session only cancels and closes. */
  readonly allowKilled?: boolean;
  /** Runs before the state folder is given to another process. */
  readonly beforeRelease?: () => Promise<void>;
}
