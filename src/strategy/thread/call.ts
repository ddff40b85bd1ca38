import type { Amount, Price, Quantity } from '../../core/fixed.js';
import type { Currency } from '../../core/currency.js';
import type { Instrument } from '../../core/instrument.js';
import type { Interval } from '../../core/interval.js';
import type { WarmUpNeed } from '../../market/warm-up.js';
import type { EntryStyle } from '../entry.js';
import type { StrategyForm } from '../form/form.js';
import type { Intent } from '../intent.js';
import type { Protection } from '../protection.js';
import type { TradeCosts } from '../size/room.js';
import type { Size } from '../size/sizing.js';
import type { StateWrite } from '../host/state-cell.js';
import type { FundingFact, KeptState, WorkingOrder } from '../world.js';

/**
 * What the engine's thread and a strategy's thread say to each other: plain data, one answer for each
 * call. During a call nothing of the world moves, so that what a strategy may read is told with it.
 */

/** What of the world has changed since the call before. */
export interface WorldNews {
  readonly venueTime: number;
  readonly equity?: EquityNews;
  readonly instruments: readonly Instrument[];
  readonly symbols: readonly SymbolNews[];
}

export interface EquityNews {
  /** Of the wallet. */
  readonly amount: Amount | undefined;
  readonly usdt: number | undefined;
}

export interface SymbolNews {
  readonly symbol: string;
  readonly position: Quantity;
  readonly entryPrice: Price | undefined;
  readonly lastPrice: number | undefined;
  readonly funding: FundingFact | undefined;
  readonly working: readonly WorkingOrder[];
}

/** Calls whose arguments are plain data; a candle brings only the rows that are new. */
export type PlainMethod = Exclude<
  keyof StrategyForm,
  'intervals' | 'needs' | `hears${string}` | 'cells' | 'closeAt' | 'candle' | 'close'
>;
export type PlainCall = {
  readonly [Method in PlainMethod]: {
    readonly method: Method;
    readonly args: Parameters<StrategyForm[Method]>;
  };
}[PlainMethod];

export interface CandleCall {
  readonly method: 'candle';
  readonly symbol: string;
  readonly interval: Interval;
  /** The candle that has closed, and those before it that were not sent yet: six numbers each. */
  readonly rows: readonly number[];
  /** Of that candle in the series. */
  readonly index: number;
}

export type Call = PlainCall | CandleCall;

/** What a strategy is made of, beside its code and its parameters. */
export interface Making {
  readonly method: 'make';
  readonly id: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  readonly currency: Currency;
  readonly size: Size;
  readonly protection: Protection;
  readonly entry: EntryStyle;
  readonly costs?: TradeCosts;
  /** What lives before this one kept. */
  readonly kept: readonly (readonly [key: string, state: KeptState])[];
}

export interface Ask<Asked = Making | Call> {
  readonly call: Asked;
  readonly news: WorldNews;
  /** Whose state the call may change; absent: any. */
  readonly symbol?: string;
  /** States whose last change does not count. */
  readonly undone: readonly string[];
}

/** In the order in which the strategy did it. */
export type Act =
  | { readonly kind: 'intent'; readonly intent: Intent; readonly place?: string }
  | { readonly kind: 'explain'; readonly text: string }
  | {
      readonly kind: 'timer';
      readonly symbol: string;
      readonly at: number;
      readonly key: string;
    }
  /** Of its scheduler. */
  | { readonly kind: 'wake'; readonly at: number; readonly key: string }
  | { readonly kind: 'failed'; readonly text: string }
  | { readonly kind: 'completed' };

/** A state that the call has changed, or changed into what cannot be kept. */
export type StateOffer =
  | { readonly key: string; readonly write: StateWrite }
  | { readonly key: string; readonly fault: string };

/** What came of a call. */
export interface Answer {
  readonly acts: readonly Act[];
  readonly offers: readonly StateOffer[];
  /** With its place. */
  readonly threw?: string;
  /** Of what was made. */
  readonly made?: FormFacts;
}

/** What a form says of itself once it is made. */
export interface FormFacts extends Pick<
  StrategyForm,
  'hearsFills' | 'hearsOrders' | 'hearsRounds' | 'hearsMarket' | 'hearsPositions'
> {
  readonly intervals: readonly Interval[];
  readonly needs: readonly WarmUpNeed[];
  /** Rounds are told the candles that closed with them. */
  readonly tellsCloses: boolean;
  readonly cells: readonly { readonly key: string; readonly fault: string | undefined }[];
}

/** What a strategy does when nobody has called it. */
export type Stray =
  /** An intent, or the end of its stream: it has failed. */
  | { readonly kind: 'ended'; readonly reason: string }
  | { readonly kind: 'explain'; readonly text: string };
