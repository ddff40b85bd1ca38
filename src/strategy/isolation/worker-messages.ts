import type { Amount, Price, Quantity } from '../../core/fixed/fixed.js';
import type { Currency } from '../../core/currency.js';
import type { Instrument } from '../../core/instrument.js';
import type { Interval } from '../../core/interval.js';
import type { EntryStyle } from '../contract/entry-style.js';
import type { StrategyAdapter } from '../adapter/strategy-adapter.js';
import type { StrategyEvent } from '../adapter/strategy-event.js';
import type { Intent } from '../contract/intent.js';
import type { Protection } from '../contract/protection.js';
import type { TradeCosts } from '../target/size/affordable-notional.js';
import type { Size } from '../target/size/sizing.js';
import type { StateWrite } from '../host/durable-state.js';
import type { NextFunding, PersistedState, WorkingOrder } from '../contract/strategy-port.js';

/**
 * Messages between the engine's thread and a strategy's worker: plain data, one response for each
 * request. Engine state does not change during a call, so that each request carries its changes.
 */

/** Changes of the engine state since the previous request. */
export interface StateDelta {
  readonly venueTime: number;
  readonly equity?: EquityDelta;
  readonly instruments: readonly Instrument[];
  readonly symbols: readonly SymbolDelta[];
}

export interface EquityDelta {
  /** In the wallet's currency. */
  readonly amount: Amount | undefined;
  readonly usdt: number | undefined;
}

export interface SymbolDelta {
  readonly symbol: string;
  readonly position: Quantity;
  readonly entryPrice: Price | undefined;
  readonly lastPrice: number | undefined;
  readonly funding: NextFunding | undefined;
  readonly working: readonly WorkingOrder[];
}

/** A call of the adapter beside closed candles. */
export type PlainCall =
  | { readonly method: 'open' | 'start' | 'stop' }
  | { readonly method: 'handle'; readonly event: StrategyEvent };

export interface CandleCall {
  readonly method: 'onCandle';
  readonly symbol: string;
  readonly interval: Interval;
  /** The closed candle and those before it that were not sent yet: six numbers each. */
  readonly rows: readonly number[];
  /** Index of that candle in the series. */
  readonly index: number;
}

export type StrategyCall = PlainCall | CandleCall;

/** Settings of a strategy, beside its code and its parameters. */
export interface InitRequest {
  readonly method: 'make';
  readonly id: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  readonly currency: Currency;
  readonly size: Size;
  readonly protection: Protection;
  readonly entry: EntryStyle;
  readonly costs?: TradeCosts;
  /** State that previous runs persisted. */
  readonly persisted: readonly (readonly [key: string, state: PersistedState])[];
}

export interface WorkerRequest<Requested = InitRequest | StrategyCall> {
  readonly call: Requested;
  readonly delta: StateDelta;
  /** Symbol whose state the call may change; absent: any. */
  readonly symbol?: string;
  /** Keys of the states whose last change is rolled back. */
  readonly rolledBack: readonly string[];
}

/** One action of the strategy; a response has them in order. */
export type StrategyAction =
  | { readonly kind: 'intent'; readonly intent: Intent; readonly place?: string }
  | { readonly kind: 'explain'; readonly text: string }
  | {
      readonly kind: 'timer';
      readonly symbol: string;
      readonly at: number;
      readonly key: string;
    }
  /** A timer of its scheduler. */
  | { readonly kind: 'wake'; readonly at: number; readonly key: string }
  | { readonly kind: 'failed'; readonly text: string }
  | { readonly kind: 'completed' };

/** A state that the call has changed, or changed into a value that JSON cannot hold. */
export type StateChange =
  | { readonly key: string; readonly write: StateWrite }
  | { readonly key: string; readonly fault: string };

/** Result of a call. */
export interface WorkerResponse {
  readonly actions: readonly StrategyAction[];
  readonly stateChanges: readonly StateChange[];
  /** Error text with its source location. */
  readonly error?: string;
  /** The created adapter. */
  readonly adapter?: AdapterInfo;
}

/** The properties of the adapter on the worker. */
export interface AdapterInfo extends Pick<
  StrategyAdapter,
  'isStream' | 'intervals' | 'needs' | 'subscriptions'
> {
  readonly states: readonly { readonly key: string; readonly fault: string | undefined }[];
}

/** An action of the strategy outside of a call. */
export type OutOfBandAction =
  /** An intent, or the end of its stream: the strategy has failed. */
  | { readonly kind: 'ended'; readonly reason: string }
  | { readonly kind: 'explain'; readonly text: string };
