import type { Currency } from '../../core/currency.js';
import type { OrderRef, Side } from '../../core/order.js';

/** How a command reaches the venue: by a configuration, or by its addresses and key alone. */
export interface VenueOptions {
  /** Path of the YAML file, as `run` takes it. Writes need it. */
  readonly config?: string;
  readonly baseUrl?: string;
  readonly wsUrl?: string;
  /** File of the API secret, mode 0600. */
  readonly secretFile?: string;
  /** Of the wallet; absent: the configuration's, else USDT. */
  readonly currency?: Currency;
  readonly json: boolean;
  readonly debug: boolean;
}

/** Lists of an account that are read page by page. */
export type AccountList =
  'orders' | 'history' | 'closes' | 'fees' | 'transactions' | 'positions' | 'instruments';

export interface Page {
  /** Rows to show. */
  readonly limit: number;
  /** Read to the end instead. */
  readonly all: boolean;
}

export type AccountTask =
  | { readonly what: 'funds' }
  | ({ readonly what: AccountList } & Page)
  | { readonly what: 'leverage'; readonly symbol: string }
  | {
      readonly what: 'set-leverage';
      readonly symbol: string;
      /** Plain decimal text. */
      readonly leverage: string;
      /** Also while a position or an order is open. */
      readonly force: boolean;
      /** Needs no typed confirmation. */
      readonly yes: boolean;
    }
  | {
      readonly what: 'transfer';
      /** `deposit`: spot to futures. */
      readonly direction: 'deposit' | 'withdraw';
      /** Plain decimal text, above 0. */
      readonly amount: string;
      readonly yes: boolean;
      /** Also after an earlier transfer whose outcome was never proved. */
      readonly force: boolean;
    };

export type AccountOptions = VenueOptions & AccountTask;

interface OrderWrite {
  readonly yes: boolean;
  /** Real ms to wait for the proof of the outcome. */
  readonly waitMs: number;
}

/** Prices and quantities are plain decimal texts: USDT and base units. */
export type OrderTask =
  | ({
      readonly what: 'place';
      readonly side: Side;
      readonly symbol: string;
      readonly quantity: string;
      /** Absent: a market order. */
      readonly limit?: string;
      readonly reduceOnly: boolean;
      readonly stop?: string;
      readonly target?: string;
      /** The same key never has two orders, whatever happened to the first command. */
      readonly once?: string;
    } & OrderWrite)
  | ({
      readonly what: 'cancel';
      readonly order: OrderRef;
      /** The order is known not to be one of ours. */
      readonly foreign: boolean;
    } & OrderWrite)
  | ({
      readonly what: 'amend';
      readonly order: OrderRef;
      readonly limit: string;
      /** What is filled already counts in. */
      readonly quantity: string;
      /** Also where a part is filled. */
      readonly partial: boolean;
      /** By the venue's own amend. */
      readonly inPlace: boolean;
    } & OrderWrite)
  | {
      readonly what: 'resolve';
      readonly clientOrderId: string;
      readonly yes: boolean;
    }
  | { readonly what: 'show'; readonly order: OrderRef };

export type OrderOptions = VenueOptions & OrderTask;

export interface ProbeOptions extends VenueOptions {
  /** Also what only minimum orders can tell. */
  readonly minSize: boolean;
  readonly symbol: string;
  /** Where the venue profile goes. */
  readonly out?: string;
}
