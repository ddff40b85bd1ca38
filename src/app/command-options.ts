import type { Clock, Files, Random, Scheduler } from '../core/ports.js';
import type { Currency } from '../core/currency.js';
import type { Interval } from '../core/interval.js';
import type { ClockMode } from '../sandbox/sandbox-clock.js';
import type { Size } from '../strategy/size/sizing.js';
import type { StartThread } from './thread/strategy-thread.js';

/** The process around a command. Tests hand in their own. */
export interface Io {
  /** Results only; as given, no newline is added. */
  readonly stdout: (text: string) => void;
  /** Logs, progress and explanations; as given. */
  readonly stderr: (text: string) => void;
  /** Whether a person reads standard error on a terminal. */
  readonly isTerminal: boolean;
  /** The process's own: a secret read from here is deleted here. */
  readonly env: Record<string, string | undefined>;
  /** Ctrl-C and polite termination. Returns how to stop listening. */
  readonly onSignal: (listener: (signal: 'SIGINT' | 'SIGTERM') => void) => () => void;
  /** SIGHUP: read again what may have changed. Absent: nobody can say so. Returns how to stop listening. */
  readonly onHangup?: (listener: () => void) => () => void;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly files: Files;
  /** Runs a strategy on a thread of its own; absent: there are none. */
  readonly startThread?: StartThread;
  /** Runs a backtest on a thread of its own; absent: in this one. */
  readonly backtestThread?: (options: BacktestOptions, io: Io) => Promise<number>;
  /** Who answers questions; absent: nobody. */
  readonly keyboard?: Keyboard;
}

/** Lines that a person types. */
export interface Keyboard {
  /** A person may sit there. */
  readonly isTerminal: boolean;
  /** The next line without its end; undefined when there is none any more. */
  readonly readLine: () => Promise<string | undefined>;
}

export interface RunOptions {
  /** Path of the YAML file. */
  readonly config: string;
  /** Absent: until it is told to stop. */
  readonly durationMs?: number;
  /** Symbols, and client order ids of orders, that the journal does not explain and that are known. */
  readonly adopt?: readonly string[];
  /** Withdraws a flatten that an earlier run has not brought to its end. */
  readonly dropFlatten?: boolean;
  /** Symbols whose position moved without us, and whose target may be traded to again. */
  readonly resume?: readonly string[];
  readonly json: boolean;
  /** Stacks in messages and logs. */
  readonly debug: boolean;
}

export interface SandboxOptions {
  /** 0: the system picks a free one. */
  readonly port: number;
  readonly seed: number;
  readonly clock: ClockMode;
  /** Venue ms UTC; absent: now. */
  readonly startMs?: number;
  /** Directory of recorded candles to replay. */
  readonly replay?: string;
  readonly quirks: 'none' | 'field' | readonly string[];
  /** Assumption id → answer. */
  readonly assume: Readonly<Record<string, string>>;
  /** A file that `sluice probe` wrote. */
  readonly profile?: string;
  /** A file with the JSON list of `PUT /sandbox/faults`. */
  readonly faults?: string;
  /** Orders ended without a fill that are remembered; 0: all. */
  readonly retainOrders: number;
  /** false: no request rates and no cap on connections. */
  readonly limits: boolean;
  /** Absent: a fresh one is made. */
  readonly secret?: string;
  /** Address to listen on. */
  readonly listen: string;
  /** Names besides loopback's and `listen` that control paths answer to. */
  readonly allowHosts?: readonly string[];
  /** Plain decimal texts. */
  readonly spot: Readonly<Record<Currency, string>>;
  readonly futures: Readonly<Record<Currency, string>>;
  readonly json: boolean;
  readonly debug: boolean;
}

/** What the command line says; absent is not said, so that `--config` may say it. */
export interface BacktestOptions {
  readonly config?: string;
  /** A shipped name or a file. */
  readonly strategy?: string;
  /** One, or several with commas between. */
  readonly symbol?: string;
  readonly interval?: Interval;
  /** A file or a directory. */
  readonly data?: string;
  /** ms UTC, inclusive. */
  readonly fromMs?: number;
  /** ms UTC, exclusive. */
  readonly toMs?: number;
  /** Texts as typed: the strategy's schema decides what they are. */
  readonly params: Readonly<Record<string, string>>;
  readonly size?: Size;
  /** Plain decimal texts from here on. */
  readonly leverage?: string;
  readonly currency?: Currency;
  readonly cash?: string;
  readonly takerFee?: string;
  readonly makerFee?: string;
  readonly slippage?: 'auto' | { readonly bps: number };
  readonly fill?: 'through' | 'touch';
  readonly intrabar?: 'pessimistic' | 'nearest' | 'optimistic';
  readonly funding?:
    | { readonly kind: 'auto' }
    | { readonly kind: 'none' }
    | { readonly kind: 'rate'; readonly rate: string }
    /** Or a folder. */
    | { readonly kind: 'file'; readonly path: string };
  /** A file of mark-price candles. */
  readonly mark?: string;
  /** A file with the instrument's metadata. */
  readonly instrument?: string;
  readonly risk?:
    | { readonly kind: 'none' }
    | { readonly kind: 'research' }
    | { readonly kind: 'file'; readonly path: string };
  /** CPU time that the hooks of one candle may take. */
  readonly hookTimeoutMs?: number;
  /** Directory of the run's files. */
  readonly out?: string;
  /** Writes client order ids, payloads, verdicts and journal bytes too. */
  readonly journal: boolean;
  readonly json: boolean;
  readonly debug: boolean;
}

export interface WhyOptions {
  /** What is asked about, then perhaps the state folder. */
  readonly words: readonly string[];
  /** A configuration whose state_dir is meant. */
  readonly config?: string;
  /** For a candle: one strategy alone. */
  readonly strategy?: string;
  /** Drops the index first. */
  readonly rebuild: boolean;
  readonly json: boolean;
  readonly debug: boolean;
}

export interface PlanOptions {
  /** Path of the YAML file. */
  readonly config: string;
  readonly json: boolean;
  readonly debug: boolean;
}

export interface ReplayOptions {
  /** The state directory of a run. */
  readonly stateDir: string;
  readonly json: boolean;
  readonly debug: boolean;
}

export interface ChaosOptions {
  readonly seed: number;
  /** The folder of the run stays. */
  readonly keep: boolean;
  readonly json: boolean;
  readonly debug: boolean;
}
