import { z } from 'zod';
import { numberFromFixed } from '../../core/fixed/fixed.js';
import type { Files } from '../../core/ports.js';
import type { RoundTrip } from '../../report/round-trips.js';
import { entryValue } from '../../report/statistics/trade-statistics.js';
import type { ExpectedRun } from './expected-run.js';
import { OUTSIDE_TRADES, type ExpectationStatus } from './expectation-status.js';
import { expectationText } from './expectation-text.js';
import { ProfitBand } from './profit-band.js';

const FILE_VERSION = 1;
const storedSchema = z.object({
  version: z.literal(FILE_VERSION),
  status: z.object({
    run: z.string(),
    run_hash: z.string(),
    currency: z.string(),
    trades: z.number().int().min(0),
    profit: z.string(),
    low: z.string(),
    high: z.string(),
    outside: z.number().int().min(0),
    differs: z.boolean(),
  }),
  state: z.object({
    trades: z.number().int().min(0),
    profit: z.number(),
    paths: z.array(z.number()).length(1_000),
    outside: z.number().int().min(0),
  }),
});
type Stored = z.output<typeof storedSchema>;

const pathIn = (stateDir: string): string => `${stateDir}/expectation.json`;

/** @returns undefined if the state folder has none that this version can read */
async function readStored(
  files: Pick<Files, 'read'>,
  stateDir: string,
): Promise<Stored | undefined> {
  const bytes = await files.read(pathIn(stateDir));
  if (bytes === undefined) return undefined;
  try {
    return storedSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data;
  } catch {
    // A file that is no JSON counts as none: the next closed trade replaces it.
    return undefined;
  }
}

/** The last comparison of a state folder; null: there is none. */
export const readExpectation = async (
  files: Pick<Files, 'read'>,
  stateDir: string,
): Promise<ExpectationStatus | null> => (await readStored(files, stateDir))?.status ?? null;

export interface ExpectationParts {
  readonly expected: ExpectedRun;
  readonly currency: string;
  readonly stateDir: string;
  readonly files: Pick<Files, 'read' | 'replace'>;
  /** Once, when 20 closed trades in a row lie outside the band. */
  readonly onOutside: (text: string, status: ExpectationStatus) => void;
}

/** Compares the closed trades of a live run with those of a backtest, over restarts too. */
export class Expectation {
  readonly #parts: ExpectationParts;
  readonly #band: ProfitBand;
  #changed = false;
  #writing: Promise<void> | undefined;

  private constructor(parts: ExpectationParts, band: ProfitBand) {
    this.#parts = parts;
    this.#band = band;
  }

  /** Goes on where the state folder ended, unless its trades were compared with another backtest. */
  static async open(parts: ExpectationParts): Promise<Expectation> {
    const { expected, currency, stateDir, files } = parts;
    const stored = await readStored(files, stateDir);
    const isSame = stored?.status.run_hash === expected.hash && stored.status.currency === currency;
    return new Expectation(
      parts,
      new ProfitBand(expected.results, isSame ? stored.state : undefined),
    );
  }

  /** @param rate currency of the run per USDT */
  onClosed(trade: RoundTrip, rate: number): void {
    const before = this.#band.state.outside;
    this.#band.add(entryValue(trade, rate), numberFromFixed(trade.grossPnl));
    this.#changed = true;
    const { status } = this;
    if (status.differs && before < OUTSIDE_TRADES)
      this.#parts.onOutside(expectationText(status), status);
  }

  get status(): ExpectationStatus {
    const { expected, currency } = this.#parts;
    const { trades, profit, outside } = this.#band.state;
    const { low, high } = this.#band.bounds;
    return {
      run: expected.name,
      run_hash: expected.hash,
      currency,
      trades,
      profit: amountText(profit),
      low: amountText(low),
      high: amountText(high),
      outside,
      differs: outside >= OUTSIDE_TRADES,
    };
  }

  /** The edges of the band minus the profit of the closed trades: what a row of equity adds. */
  get margins(): { readonly low: number; readonly high: number } {
    const { profit } = this.#band.state;
    const { low, high } = this.#band.bounds;
    return { low: low - profit, high: high - profit };
  }

  /** Writes what changed since the last call. Failures are the caller's. */
  async save(): Promise<void> {
    await this.#writing;
    if (!this.#changed) return;
    this.#changed = false;
    const stored: Stored = {
      version: FILE_VERSION,
      status: this.status,
      state: { ...this.#band.state, paths: [...this.#band.state.paths] },
    };
    const bytes = new TextEncoder().encode(`${JSON.stringify(stored)}\n`);
    const { files, stateDir } = this.#parts;
    const writing = files.replace(pathIn(stateDir), bytes);
    // The next call waits for this write, and repeats it if it failed.
    this.#writing = writing.catch(() => {
      this.#changed = true;
    });
    await writing;
  }
}

const amountText = (amount: number): string => String(Number(amount.toFixed(8)));
