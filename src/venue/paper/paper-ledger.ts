import { isDeepStrictEqual } from 'node:util';
import type { Listing } from '../../core/instrument.js';
import type { Price } from '../../core/fixed/fixed.js';
import type { Files, AppendLog } from '../../core/ports.js';
import type { Reply, VenueRequest } from '../../core/request.js';
import { DEFAULT_ASSUMPTIONS } from '../../exchange/assumptions.js';
import type { SimulatedExchange } from '../../exchange/simulated-exchange.js';
import { openFramedLog } from '../../io/log/framed-log.js';
import { LogCorruptError } from '../../io/log/log-contents.js';
import { SafetyRefusal } from '../../core/command-errors.js';
import { PaperAccount } from './paper-account.js';
import {
  changesAccount,
  decodeOpening,
  decodePaper,
  encodePaper,
  openingOf,
  plainRequest,
  type FundingSettlement,
  type PaperInput,
  type PaperOpening,
  type PaperTerms,
} from './paper-input.js';

export const PAPER_LOG = 'paper';
const HOUR_MS = 3_600_000;

export interface PaperLedgerOptions {
  readonly account: string;
  readonly terms: PaperTerms;
  /** Venue ms UTC: start time of a new account. */
  readonly nowMs: number;
  /** The journal beside it has orders, so the account must exist too. */
  readonly hasJournaledOrders: boolean;
}

interface Quote {
  readonly last: Price;
  readonly mark: Price;
}

/**
 * A paper account that survives a restart. A log records every input that changed the account, and a
 * restart replays them. Prices without an effect are not recorded at once: the newest one of each symbol
 * is recorded before the next input, because that input may depend on it.
 */
export class PaperLedger {
  readonly #account: PaperAccount;
  readonly #log: AppendLog;
  /** Prices that the account has and the log lacks. */
  readonly #unrecorded = new Map<string, Quote>();
  readonly #funding = new Map<string, FundingSettlement>();
  #closed = false;

  private constructor(account: PaperAccount, log: AppendLog) {
    this.#account = account;
    this.#log = log;
  }

  /**
   * Restores the account, or opens a new one.
   * @throws SafetyRefusal if the account cannot be restored exactly, LogWriteError
   */
  static async open(
    files: Files,
    directory: string,
    owner: PaperLedgerOptions,
  ): Promise<PaperLedger> {
    const log = await openLog(files, directory);
    try {
      const records = log.read();
      const opening = openingFrom(records[0], owner, directory);
      const account = new PaperAccount(opening);
      if (records.length === 0) {
        log.append(encodePaper(opening));
        await log.sync();
      }
      replayRecords(account, records.slice(1), directory);
      return new PaperLedger(account, log);
    } catch (error) {
      // Report the first error.
      await log.close().catch(() => undefined);
      throw error;
    }
  }

  /** Read-only for callers: changes go through `reply`. */
  get exchange(): SimulatedExchange {
    return this.#account.exchange;
  }

  /** Records in the log. */
  get records(): number {
    return this.#log.count;
  }

  /** Adds an instrument, or updates its rules. */
  addListing(listing: Listing, at: number): void {
    if (!this.#account.hasListing(listing)) this.#apply({ kind: 'listing', listing }, at);
  }

  /** For listed symbols only. */
  updatePrice(symbol: string, quote: Quote, at: number): void {
    const known = this.exchange.prices(symbol);
    if (known?.last === quote.last && known.mark === quote.mark) return;
    const input: PaperInput = { kind: 'price', symbol, ...quote };
    const time = this.#advance(at);
    const before = this.#account.eventCount;
    this.#account.apply(input, time);
    this.#unrecorded.set(symbol, quote);
    if (this.#account.eventCount === before) return;
    this.#unrecorded.delete(symbol);
    // In this order: the effect may depend on the prices of other symbols.
    this.#recordPrices(time);
    this.#record(input, time);
  }

  /** Matches accepted orders of the symbol against the market. */
  matchPending(symbol: string, at: number): void {
    if (this.exchange.isActive(symbol)) this.#apply({ kind: 'settle', symbol }, at);
  }

  /** Takes effect at the next settlement. */
  setFunding(symbol: string, rate: FundingSettlement): void {
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

  /** Resolves when all records so far are durable. */
  sync(): Promise<void> {
    return this.#closed ? Promise.resolve() : this.#log.sync();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#log.close();
  }

  #apply(input: PaperInput, at: number): void {
    const time = this.#advance(at);
    this.#recordPrices(time);
    this.#account.apply(input, time);
    this.#record(input, time);
  }

  /** Never moves back. Records an effect of funding settlements in between. @returns the account's time */
  #advance(at: number): number {
    const { nowMs } = this.exchange;
    const time = Math.max(at, nowMs);
    if (!crossesSettlement(nowMs, time)) return time;
    this.#recordPrices(nowMs);
    const input: PaperInput = { kind: 'funding', rates: Object.fromEntries(this.#funding) };
    const before = this.#account.eventCount;
    this.#account.apply(input, time);
    if (this.#account.eventCount !== before) this.#record(input, time);
    return time;
  }

  /** Records the pending prices of active symbols, and of `requested`. */
  #recordPrices(at: number, requested?: string): void {
    for (const [symbol, quote] of this.#unrecorded) {
      if (symbol !== requested && !this.exchange.isActive(symbol)) continue;
      this.#unrecorded.delete(symbol);
      this.#record({ kind: 'price', symbol, ...quote }, at);
    }
  }

  #record(input: PaperInput, at: number): void {
    if (this.#closed) return;
    this.#log.append(encodePaper({ ...input, at, left: this.#account.checkValues }));
  }
}

/** Funding is booked at its settlement or 1 ms later (assumption exchange-funding-instant). */
const crossesSettlement = (fromMs: number, toMs: number): boolean =>
  [0, 1].some((lag) => Math.floor((toMs - lag) / HOUR_MS) > Math.floor((fromMs - lag) / HOUR_MS));

async function openLog(files: Files, directory: string): Promise<AppendLog> {
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
  owner: PaperLedgerOptions,
  directory: string,
): PaperOpening {
  const { account, terms, nowMs } = owner;
  const path = `${directory}/${PAPER_LOG}.log`;
  if (first === undefined) {
    const assumptions = { ...DEFAULT_ASSUMPTIONS, ...terms.assume };
    if (!owner.hasJournaledOrders)
      return openingOf({ account, terms, assumptions, startMs: nowMs });
    throw new SafetyRefusal(
      `the paper account is gone: ${path} is empty, and the journal beside it has orders. ${ADVICE}`,
    );
  }
  const opening = decodeOpening(first);
  if (opening === undefined) {
    throw new SafetyRefusal(`${path} was written by another version of Sluice. ${ADVICE}`);
  }
  checkTerms(path, opening.terms, terms);
  return opening;
}

/** Under other terms a replay would produce another account. */
function checkTerms(path: string, recorded: PaperTerms, now: PaperTerms): void {
  for (const key of Object.keys(now) as (keyof PaperTerms)[]) {
    if (isDeepStrictEqual(recorded[key], now[key])) continue;
    throw new SafetyRefusal(
      `the account of ${path} was opened under other terms (${CONFIG_KEYS[key]}): restore them in the configuration, or use another state_dir`,
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

/** @throws SafetyRefusal if an input does not reproduce its recorded result */
function replayRecords(
  account: PaperAccount,
  records: readonly Uint8Array[],
  directory: string,
): void {
  records.forEach((bytes, index) => {
    const { at, left, ...input } = decodePaper(bytes);
    account.apply(input, at);
    if (account.checkValues.every((value, place) => value === left[place])) return;
    throw new SafetyRefusal(
      `${directory}/${PAPER_LOG}.log does not reproduce the account: record ${index + 2} left ` +
        `${left.join(', ')} and now leaves ${account.checkValues.join(', ')}. ` +
        'Run the version of Sluice that wrote it, or use another state_dir',
    );
  });
}

const ADVICE =
  'Restore the whole state folder from a backup, or use another state_dir: the journal and the ' +
  'account belong together';
