import type { Listing } from '../../core/instrument.js';
import type { Currency } from '../../core/currency.js';
import type { Amount, Price, Ratio } from '../../core/fixed/fixed.js';
import { recordFromText, recordText } from '../../core/record-json.js';
import type { RequestKind, RequestOf } from '../../core/request.js';
import type { Assumptions } from '../../exchange/assumptions.js';

const VERSION = 1;

/** The configured terms of a paper account. */
export interface PaperTerms {
  /** Opening balances of the futures wallets. */
  readonly futures: Readonly<Record<Currency, Amount>>;
  /** Fraction of the traded value. */
  readonly takerFeeRate: Ratio;
  readonly makerFeeRate: Ratio;
  /** Basis points by which market orders fill worse than the last price. */
  readonly slippageBps: number;
  readonly limitFill: 'through' | 'touch';
  /** INR per USDT. */
  readonly hedgeRate: Ratio;
  /** Configured assumptions. */
  readonly assume: Partial<Assumptions>;
}

export interface PaperOpening {
  readonly kind: 'opening';
  readonly version: typeof VERSION;
  /** Seeds the ids of the account. */
  readonly account: string;
  /** Venue ms UTC. */
  readonly startMs: number;
  readonly terms: PaperTerms;
  /** All assumptions, because a later version may have other defaults. */
  readonly assumptions: Assumptions;
}

export const openingOf = (opening: Omit<PaperOpening, 'kind' | 'version'>): PaperOpening => ({
  kind: 'opening',
  version: VERSION,
  ...opening,
});

const ACCOUNT_CHANGING = [
  'place',
  'cancel',
  'set-leverage',
  'amend',
  'set-leg',
  'move-leg',
  'change-margin',
  'transfer',
] as const satisfies readonly RequestKind[];
/** Requests that change an account. All others only read it. */
export type PaperRequest = RequestOf<(typeof ACCOUNT_CHANGING)[number]>;

export const changesAccount = <R extends { readonly kind: RequestKind }>(
  request: R,
): request is R & PaperRequest =>
  (ACCOUNT_CHANGING as readonly RequestKind[]).includes(request.kind as RequestKind);

/** The request without fields that only this process understands. */
export function plainRequest(request: PaperRequest): PaperRequest {
  if (request.kind !== 'place') return request;
  const { kind, clientOrderId, terms } = request;
  return { kind, clientOrderId, terms };
}

/** The funding rate of one settlement. */
export interface FundingSettlement {
  readonly rate: Ratio;
  /** Venue ms UTC. */
  readonly settlementMs: number;
}

/** An input of a paper account's exchange. */
export type PaperInput =
  | { readonly kind: 'listing'; readonly listing: Listing }
  | {
      readonly kind: 'price';
      readonly symbol: string;
      readonly last: Price;
      readonly mark: Price;
    }
  /** Pending orders were matched against the market. */
  | { readonly kind: 'settle'; readonly symbol: string }
  | { readonly kind: 'request'; readonly request: PaperRequest }
  /** Time passed one or more funding settlements, at these rates. */
  | { readonly kind: 'funding'; readonly rates: Readonly<Record<string, FundingSettlement>> };

export type PaperRecord = PaperInput & {
  /** Venue ms UTC. */
  readonly at: number;
  /** Wallets and number of ids after the input. A replay must reproduce them. */
  readonly left: readonly (Amount | number)[];
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const encodePaper = (record: PaperOpening | PaperRecord): Uint8Array =>
  encoder.encode(recordText(record));

/** Undefined if another version wrote it that this one cannot read. */
export function decodeOpening(bytes: Uint8Array): PaperOpening | undefined {
  const opening = recordFromText(decoder.decode(bytes)) as Partial<PaperOpening>;
  const known = opening.kind === 'opening' && opening.version === VERSION;
  return known ? (opening as PaperOpening) : undefined;
}

/** Needs no validation: the log's checksums prove that these bytes were written. */
export const decodePaper = (bytes: Uint8Array): PaperRecord =>
  recordFromText(decoder.decode(bytes)) as PaperRecord;
