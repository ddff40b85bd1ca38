import type { Amount, Price, Ratio } from '../../core/fixed.js';
import { recordFromText, recordText } from '../../core/record-json.js';
import type { RequestKind, RequestOf } from '../../core/request.js';
import type { Assumptions } from '../../exchange/assumptions.js';
import type { Listing } from '../../exchange/simulated-exchange.js';
import type { PaperConfig } from '../config.js';

const VERSION = 1;

/** How a paper account is simulated, as its configuration says it. */
export interface PaperTerms extends Pick<
  PaperConfig,
  'futures' | 'takerFeeRate' | 'makerFeeRate' | 'slippageBps' | 'limitFill'
> {
  /** INR per USDT. */
  readonly hedgeRate: Ratio;
  /** Answers that were chosen. */
  readonly assume: Partial<Assumptions>;
}

export interface PaperOpening {
  readonly kind: 'opening';
  readonly version: typeof VERSION;
  /** Whose it is; its ids come from it. */
  readonly account: string;
  /** Venue ms UTC. */
  readonly startMs: number;
  readonly terms: PaperTerms;
  /** All answers: a later version may have other defaults. */
  readonly assumptions: Assumptions;
}

export const openingOf = (opening: Omit<PaperOpening, 'kind' | 'version'>): PaperOpening => ({
  kind: 'opening',
  version: VERSION,
  ...opening,
});

const CHANGING = [
  'place',
  'cancel',
  'set-leverage',
  'amend',
  'set-leg',
  'move-leg',
  'change-margin',
  'transfer',
] as const satisfies readonly RequestKind[];
/** The requests that change an account; all others only read it. */
export type PaperRequest = RequestOf<(typeof CHANGING)[number]>;

export const changesAccount = <R extends { readonly kind: RequestKind }>(
  request: R,
): request is R & PaperRequest =>
  (CHANGING as readonly RequestKind[]).includes(request.kind as RequestKind);

/** As plain data, without what is our own process's. */
export function plainRequest(request: PaperRequest): PaperRequest {
  if (request.kind !== 'place') return request;
  const { kind, clientOrderId, terms } = request;
  return { kind, clientOrderId, terms };
}

/** The rate that is exchanged at one settlement. */
export interface FundingRate {
  readonly rate: Ratio;
  /** Venue ms UTC. */
  readonly settlementMs: number;
}

/** Something that happened to the exchange of a paper account. */
export type PaperInput =
  | { readonly kind: 'listing'; readonly listing: Listing }
  | {
      readonly kind: 'price';
      readonly symbol: string;
      readonly last: Price;
      readonly mark: Price;
    }
  /** Orders that waited met the market. */
  | { readonly kind: 'settle'; readonly symbol: string }
  | { readonly kind: 'request'; readonly request: PaperRequest }
  /** Time went over settlements of funding, at these rates. */
  | { readonly kind: 'funding'; readonly rates: Readonly<Record<string, FundingRate>> };

export type PaperRecord = PaperInput & {
  /** Venue ms UTC. */
  readonly at: number;
  /** What it left in the wallets, and how many ids were given: a replay must find the same. */
  readonly left: readonly (Amount | number)[];
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const encodePaper = (record: PaperOpening | PaperRecord): Uint8Array =>
  encoder.encode(recordText(record));

/** Undefined: it was written by a version that this one cannot read. */
export function decodeOpening(bytes: Uint8Array): PaperOpening | undefined {
  const opening = recordFromText(decoder.decode(bytes)) as Partial<PaperOpening>;
  const known = opening.kind === 'opening' && opening.version === VERSION;
  return known ? (opening as PaperOpening) : undefined;
}

/** The log's own checks have proved that these are the bytes that were written. */
export const decodePaper = (bytes: Uint8Array): PaperRecord =>
  recordFromText(decoder.decode(bytes)) as PaperRecord;
