import type { DataCatalog } from '../../catalog/catalog.js';
import type { FundingDataset } from '../../catalog/dataset.js';
import type { Files } from '../../core/ports.js';
import type { Outcome } from '../../core/request.js';
import type { AssetDetail, FuturesApi } from '../../venue/futures-api/futures-api.js';
import {
  afterReading,
  isSettledRate,
  loadPending,
  savePending,
  type PendingFunding,
} from './pending-funding.js';
import type { RecordEvent } from './record-event.js';

export interface FundingRecorderOptions {
  readonly api: Pick<FuturesApi, 'asset'>;
  readonly catalog: Pick<DataCatalog, 'read' | 'write'>;
  readonly files: Pick<Files, 'read' | 'replace'>;
  /** File of the rates that wait for their settlement. */
  readonly path: string;
  readonly symbols: readonly string[];
  /** Of the venue, for the record of the sources. */
  readonly baseUrl: string;
  /** ms UTC at the venue. */
  readonly nowMs: () => number;
  readonly onEvent: (event: RecordEvent) => void;
}

/** Reads this long before and after a settlement, ms. */
const LEAD_MS = 60_000;
const DELAY_MS = 5_000;

/** Keeps the rate of each settlement: the last one that the venue has named before it. */
export class FundingRecorder {
  readonly #options: FundingRecorderOptions;
  #pending = new Map<string, PendingFunding>();

  constructor(options: FundingRecorderOptions) {
    this.#options = options;
  }

  /** Reads the rates that an earlier recorder has left. A damaged file is named and begins anew. */
  async open(): Promise<void> {
    const { files, path, onEvent } = this.#options;
    const pending = await loadPending(files, path);
    if (pending === undefined)
      onEvent({
        event: 'note',
        text: `${path} does not read: the rates in it are lost, and it is made anew`,
      });
    this.#pending = new Map(pending);
  }

  /**
   * Reads one symbol. The rate is on the disk when this resolves.
   * @returns the answer of the venue, if it has no rate
   * @throws CatalogError, system errors when the disk does not take it; a repetition is safe
   */
  async read(symbol: string): Promise<Exclude<Outcome<AssetDetail>, { kind: 'yes' }> | undefined> {
    const { api, onEvent } = this.#options;
    const outcome = await api.asset({ symbol });
    if (outcome.kind !== 'yes') return outcome;
    const readMs = this.#options.nowMs();
    await this.settle();
    const { fundingRate, nextFundingMs } = outcome.value;
    // After its settlement a venue may still name the old one for some seconds.
    if (nextFundingMs !== undefined && nextFundingMs <= readMs) return undefined;
    if (fundingRate === undefined || nextFundingMs === undefined) {
      onEvent({ event: 'note', text: `${symbol}: the venue names no funding rate` });
      return undefined;
    }
    const rate = fundingRate.toNumber();
    const old = this.#pending.get(symbol);
    // The clocks may differ by a second: the venue's next settlement proves that the one before is over.
    if (
      old !== undefined &&
      old.settlementMs < nextFundingMs &&
      old.settlementMs - readMs < LEAD_MS
    )
      await this.#settleOne(symbol, old);
    const before = this.#pending.get(symbol);
    const reading = { settlementMs: nextFundingMs, rate, readMs };
    const pending = afterReading(before ?? (await this.#lastSettlement(symbol)), reading);
    await this.#save(new Map(this.#pending).set(symbol, pending));
    onEvent({ event: 'rate', symbol, rate, settlementMs: nextFundingMs });
    return undefined;
  }

  /** Writes the rates whose settlement is over. The write of the catalogue comes first: it may be repeated. */
  async settle(): Promise<void> {
    for (const [symbol, pending] of this.#pending)
      if (pending.settlementMs <= this.#options.nowMs()) await this.#settleOne(symbol, pending);
  }

  /** ms until a settlement asks for a reading; undefined: none is known. */
  dueInMs(): number | undefined {
    const now = this.#options.nowMs();
    const due = [...this.#pending.values()].map(({ settlementMs }) =>
      now < settlementMs - LEAD_MS ? settlementMs - LEAD_MS - now : settlementMs + DELAY_MS - now,
    );
    return due.length === 0 ? undefined : Math.max(0, Math.min(...due));
  }

  /** The last settlement of the catalogue: it is no longer pending. */
  async #lastSettlement(symbol: string): Promise<PendingFunding | undefined> {
    const rows = await this.#options.catalog.read({ kind: 'funding', symbol });
    const settlementMs = rows?.time[rows.length - 1];
    if (settlementMs === undefined) return undefined;
    return { settlementMs, rate: 0, readMs: settlementMs, intervalMs: 0 };
  }

  async #settleOne(symbol: string, pending: PendingFunding): Promise<void> {
    const { onEvent } = this.#options;
    const { settlementMs, rate, readMs } = pending;
    if (isSettledRate(pending)) {
      if (await this.#write(symbol, pending))
        onEvent({ event: 'settlement', symbol, rate, settlementMs });
    } else onEvent({ event: 'missed', symbol, settlementMs, readMs });
    const rest = new Map(this.#pending);
    rest.delete(symbol);
    await this.#save(rest);
  }

  /** @returns false if the catalogue has another rate, which stays */
  async #write(
    symbol: string,
    { settlementMs, rate, intervalMs }: PendingFunding,
  ): Promise<boolean> {
    const { catalog, baseUrl, onEvent } = this.#options;
    const dataset: FundingDataset = { kind: 'funding', symbol };
    const held = await catalog.read(dataset, settlementMs, settlementMs + 1);
    const heldRate = held?.rate[0];
    if (heldRate !== undefined) {
      if (heldRate !== rate)
        onEvent({
          event: 'note',
          text: `${symbol}: the catalogue has the rate ${heldRate} for ${new Date(settlementMs).toISOString()}, and the venue named ${rate}; the old one stays`,
        });
      return false;
    }
    const columns = {
      length: 1,
      time: Float64Array.of(settlementMs),
      rate: Float64Array.of(rate),
      intervalMs: Float64Array.of(intervalMs),
    };
    await catalog.write(dataset, columns, { text: baseUrl, sha256: null });
    return true;
  }

  async #save(pending: Map<string, PendingFunding>): Promise<void> {
    const { files, path } = this.#options;
    await savePending(files, path, pending);
    this.#pending = pending;
  }
}
