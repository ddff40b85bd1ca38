import { isDeepStrictEqual } from 'node:util';
import type { Price } from '../../core/fixed.js';
import type { Files, Log } from '../../core/ports.js';
import type { Reply, VenueRequest } from '../../core/request.js';
import { DEFAULT_ASSUMPTIONS } from '../../exchange/assumptions.js';
import type { Listing, SimulatedExchange } from '../../exchange/simulated-exchange.js';
import { openFramedLog } from '../../execution/log/framed-log.js';
import { LogCorruptError } from '../../execution/log/log-contents.js';
import { SafetyRefusal } from '../failure.js';
import { PaperAccount } from './paper-account.js';
import {
  changesAccount,
  decodeOpening,
  decodePaper,
  encodePaper,
  openingOf,
  plainRequest,
  type FundingRate,
  type PaperInput,
  type PaperOpening,
  type PaperTerms,
} from './paper-input.js';

export const PAPER_LOG = 'paper';
const HOUR_MS = 3_600_000;

export interface LedgerOwner {
  readonly account: string;
  readonly terms: PaperTerms;
  /** Venue ms UTC: the beginning of an account that is new. */
  readonly nowMs: number;
  /** The journal beside it has orders: then there must be an account too. */
  readonly journaled: boolean;
}

interface Quote {
  readonly last: Price;
  readonly mark: Price;
}

/**
 * A paper account that survives its process: every input that changed it is a record of an own log,
 * and the account is made again from them. Prices that set nothing off are not recorded as they come:
 * the newest one of each symbol goes before the next input, because that may be judged by it.
 */
export class PaperLedger {
  readonly #account: PaperAccount;
  readonly #log: Log;
  /** Prices that the account knows and the log does not. */
  readonly #unrecorded = new Map<string, Quote>();
  readonly #funding = new Map<string, FundingRate>();
  #closed = false;

  private constructor(account: PaperAccount, log: Log) {
    this.#account = account;
    this.#log = log;
  }

  /**
   * The account as it was left, or a new one.
   * @throws SafetyRefusal when it cannot be made again as it was, LogWriteError
   */
  static async open(files: Files, directory: string, owner: LedgerOwner): Promise<PaperLedger> {
    const log = await openLog(files, directory);
    try {
      const records = log.read();
      const opening = openingFrom(records[0], owner, directory);
      const account = new PaperAccount(opening);
      if (records.length === 0) {
        log.append(encodePaper(opening));
        await log.sync();
      }
      makeAgain(account, records.slice(1), directory);
      return new PaperLedger(account, log);
    } catch (error) {
      // The first error is the one to tell.
      await log.close().catch(() => undefined);
      throw error;
    }
  }

  /** To read from. */
  get exchange(): SimulatedExchange {
    return this.#account.exchange;
  }

  /** Records in the log. */
  get records(): number {
    return this.#log.count;
  }

  /** A new instrument, or one whose rules have changed. */
  list(listing: Listing, at: number): void {
    if (!this.#account.lists(listing)) this.#do({ kind: 'listing', listing }, at);
  }

  /** Of listed symbols only. */
  price(symbol: string, quote: Quote, at: number): void {
    const known = this.exchange.prices(symbol);
    if (known?.last === quote.last && known.mark === quote.mark) return;
    const input: PaperInput = { kind: 'price', symbol, ...quote };
    const time = this.#advance(at);
    const before = this.#account.events;
    this.#account.apply(input, time);
    this.#unrecorded.set(symbol, quote);
    if (this.#account.events === before) return;
    this.#unrecorded.delete(symbol);
    // In this order: what was set off may have been judged by the prices of the others.
    this.#recordPrices(time);
    this.#record(input, time);
  }

  /** Accepted orders of the symbol meet the market. */
  settle(symbol: string, at: number): void {
    if (this.exchange.isActive(symbol)) this.#do({ kind: 'settle', symbol }, at);
  }

  /** Used when the next settlement comes. */
  knowFunding(symbol: string, rate: FundingRate): void {
    this.#funding.set(symbol, rate);
  }

  reply(request: VenueRequest, at: number): Reply {
    if (!changesAccount(request)) {
      this.#advance(at);
      return this.#account.reply(request);
    }
    const time = this.#advance(at);
    this.#recordPrices(time, request.kind === 'place' ? request.terms.symbol : undefined);
    this.exchange.setTime(time);
    const reply = this.#account.reply(request);
    this.#record({ kind: 'request', request: plainRequest(request) }, time);
    return reply;
  }

  /** Resolves when everything so far is durable. */
  sync(): Promise<void> {
    return this.#closed ? Promise.resolve() : this.#log.sync();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#log.close();
  }

  #do(input: PaperInput, at: number): void {
    const time = this.#advance(at);
    this.#recordPrices(time);
    this.#account.apply(input, time);
    this.#record(input, time);
  }

  /** Never backwards; over settlements of funding with a record. @returns the account's time */
  #advance(at: number): number {
    const { nowMs } = this.exchange;
    const time = Math.max(at, nowMs);
    if (!isBetween(nowMs, time)) return time;
    this.#recordPrices(nowMs);
    const input: PaperInput = { kind: 'funding', rates: Object.fromEntries(this.#funding) };
    const before = this.#account.events;
    this.#account.apply(input, time);
    if (this.#account.events !== before) this.#record(input, time);
    return time;
  }

  /** Of what is traded now, or is about to be. */
  #recordPrices(at: number, wanted?: string): void {
    for (const [symbol, quote] of this.#unrecorded) {
      if (symbol !== wanted && !this.exchange.isActive(symbol)) continue;
      this.#unrecorded.delete(symbol);
      this.#record({ kind: 'price', symbol, ...quote }, at);
    }
  }

  #record(input: PaperInput, at: number): void {
    if (this.#closed) return;
    this.#log.append(encodePaper({ ...input, at, left: this.#account.left }));
  }
}

/** A settlement is booked at its instant, or 1 ms later (assumption exchange-funding-instant). */
const isBetween = (fromMs: number, toMs: number): boolean =>
  [0, 1].some((lag) => Math.floor((toMs - lag) / HOUR_MS) > Math.floor((fromMs - lag) / HOUR_MS));

async function openLog(files: Files, directory: string): Promise<Log> {
  try {
    return await openFramedLog(files, directory, PAPER_LOG);
  } catch (error) {
    if (!(error instanceof LogCorruptError)) throw error;
    const place = error.record === undefined ? '' : ` at record ${error.record}`;
    throw new SafetyRefusal(
      `the paper account cannot be trusted: ${error.path} is damaged${place}. ${ADVICE}`,
      { cause: error },
    );
  }
}

function openingFrom(
  first: Uint8Array | undefined,
  owner: LedgerOwner,
  directory: string,
): PaperOpening {
  const { account, terms, nowMs } = owner;
  const path = `${directory}/${PAPER_LOG}.log`;
  if (first === undefined) {
    const assumptions = { ...DEFAULT_ASSUMPTIONS, ...terms.assume };
    if (!owner.journaled) return openingOf({ account, terms, assumptions, startMs: nowMs });
    throw new SafetyRefusal(
      `the paper account is gone: ${path} is empty, and the journal beside it has orders. ${ADVICE}`,
    );
  }
  const opening = decodeOpening(first);
  if (opening === undefined) {
    throw new SafetyRefusal(`${path} was written by another version of Sluice. ${ADVICE}`);
  }
  refuseOtherTerms(path, opening.terms, terms);
  return opening;
}

/** Under other terms the past would come out differently. */
function refuseOtherTerms(path: string, began: PaperTerms, now: PaperTerms): void {
  for (const key of Object.keys(now) as (keyof PaperTerms)[]) {
    if (isDeepStrictEqual(began[key], now[key])) continue;
    throw new SafetyRefusal(
      `the account of ${path} began under other terms (${CONFIG_KEYS[key]}): put them back, or give this one a state_dir of its own`,
    );
  }
}

const CONFIG_KEYS: Readonly<Record<keyof PaperTerms, string>> = {
  futures: 'paper.futures',
  takerFeeRate: 'paper.taker_fee',
  makerFeeRate: 'paper.maker_fee',
  slippageBps: 'paper.slippage_bps',
  limitFill: 'paper.limit_fill',
  hedgeRate: 'venue.inr_rate',
  assume: 'paper.assume',
};

/** @throws SafetyRefusal when an input does not leave what it left then */
function makeAgain(account: PaperAccount, records: readonly Uint8Array[], directory: string): void {
  records.forEach((bytes, index) => {
    const { at, left, ...input } = decodePaper(bytes);
    account.apply(input, at);
    if (account.left.every((value, place) => value === left[place])) return;
    throw new SafetyRefusal(
      `${directory}/${PAPER_LOG}.log does not make the same account again: record ${index + 2} left ` +
        `${left.join(', ')} and now leaves ${account.left.join(', ')}. ` +
        'Go on with the version of Sluice that wrote it, or begin in another state_dir',
    );
  });
}

const ADVICE =
  'Restore the whole state folder from a backup, or begin in another state_dir: the journal and the ' +
  'account belong together';
