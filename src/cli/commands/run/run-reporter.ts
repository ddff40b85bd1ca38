import { summaryText, venueUnavailableText } from '../../../live/summary/run-summary-text.js';
import { styled } from '../../../core/terminal-text.js';
import type { SluiceConfig } from '../../../config/config.js';
import { systemText } from '../../../core/system-error.js';
import type { Bot } from '../../../live/bot/bot.js';
import type { ChargedFees } from '../../../live/bot/charged-fees.js';
import type { Expectation } from '../../../live/expectation/expectation.js';
import {
  REFUSED_FLATTEN_TEXT,
  UNFINISHED_FLATTEN_TEXT,
  leftOpenCounts,
  leftOpenLines,
} from '../../../live/summary/open-exposure-text.js';
import {
  currentEquity,
  equitySnapshot,
  summarise,
  venueUnavailableSummary,
  type EquitySnapshot,
  type RunSummary,
} from '../../../live/summary/run-summary.js';
import { ThinnedRows } from '../../../live/summary/thinned-rows.js';
import { usesColour, type Io } from '../../command-io.js';
import type { RunOptions } from './run-options.js';
import { openReport, reportPageText } from '../../report-page-file.js';
import type { RunTimers } from './run-timers.js';
import { SessionReport } from './session-report.js';

const EQUITY_INTERVAL_MS = 1_000;
const PROGRESS_INTERVAL_MS = 10_000;
const FLATTEN_INTERVAL_MS = 2_000;
/** Real ms that the read of fee history may take at the end. */
const FEES_TIMEOUT_MS = 2_000;
const FEES_RETRY_MS = 250;

export interface RunReporterParts {
  readonly options: RunOptions;
  readonly io: Io;
  readonly bot: Bot;
  readonly config: Pick<SluiceConfig, 'strategies'>;
  /** Monotonic ms at which the venue could be used. */
  readonly startedAt: number;
  readonly stateDir: string;
  /** undefined: the configuration names no backtest. */
  readonly expectation: Expectation | undefined;
}

/** Samples equity, reads fees and prints progress and the summary of a run. */
export class RunReporter {
  readonly #parts: RunReporterParts;
  readonly #timers: RunTimers;
  readonly #equity = new ThinnedRows(1);
  /** Venue ms: this run was charged nothing before. */
  readonly #feesFromMs: number;
  #startEquity: EquitySnapshot | undefined;
  #fees: ChargedFees | undefined;
  #session: SessionReport | undefined;
  #flattenRefused: string | undefined;

  constructor(parts: RunReporterParts, timers: RunTimers) {
    this.#parts = parts;
    this.#timers = timers;
    // Fee rows have whole seconds.
    this.#feesFromMs = Math.ceil(parts.bot.venueTimeIn(0) / 1_000) * 1_000;
  }

  snapshotStartEquity(): void {
    const { bot, expectation } = this.#parts;
    this.#startEquity = equitySnapshot(bot.engine);
    if (this.#startEquity !== undefined)
      this.#session = new SessionReport(bot.engine, this.#startEquity.equity, expectation);
  }

  startProgress(): void {
    this.#timers.repeat(EQUITY_INTERVAL_MS, () => {
      const equity = currentEquity(this.#parts.bot.engine);
      if (equity === undefined) return;
      this.#equity.add([equity]);
      this.#session?.sample(equity);
      void this.#saveExpectation();
    });
    this.#timers.repeat(PROGRESS_INTERVAL_MS, () => {
      this.#parts.bot.logProgress();
    });
  }

  startFlattenProgress(): void {
    const { bot, io } = this.#parts;
    this.#timers.repeat(FLATTEN_INTERVAL_MS, () => {
      const { isFlattening, openExposure } = bot.engine;
      if (isFlattening)
        io.stderr(`sluice: flatten: ${leftOpenCounts(openExposure.own)} still open\n`);
    });
  }

  /** Retries while fee history lags behind the fills, within a limit: a stop may have little time. */
  async readFees(): Promise<void> {
    const { bot, io } = this.#parts;
    const deadline = io.clock.monotonicMs() + FEES_TIMEOUT_MS;
    while (this.#fees === undefined && io.clock.monotonicMs() < deadline) {
      const timeout = this.#timers.delay(deadline - io.clock.monotonicMs());
      const fees = await Promise.race([bot.feesSince(this.#feesFromMs), timeout]);
      if (fees !== undefined && fees.trades >= bot.engine.counts.ordersFilled) this.#fees = fees;
      else await this.#timers.delay(FEES_RETRY_MS);
    }
  }

  /** The stop may close nothing. The JSON of the summary has the reason too. */
  reportRefusedFlatten(): void {
    this.#flattenRefused = REFUSED_FLATTEN_TEXT;
    this.#parts.io.stderr(`sluice: ${REFUSED_FLATTEN_TEXT}\n`);
  }

  /** Lists each open order and position. The text of the summary and its JSON list them too. */
  printUnfinishedFlatten(): void {
    const { bot, io } = this.#parts;
    if (bot.engine.flattenState !== 'unfinished') return;
    for (const line of [UNFINISHED_FLATTEN_TEXT, ...leftOpenLines(bot.engine.openExposure.own)])
      io.stderr(`sluice: ${line}\n`);
  }

  /**
   * Writes the report of the session into the state folder.
   * @returns its path; null where there is nothing to show
   */
  async writeReport(): Promise<string | null> {
    const { options, io, stateDir, config } = this.#parts;
    const strategies = config.strategies.map(({ id }) => id);
    const input = this.#session?.input(this.#summary(), strategies, this.#fees);
    await this.#saveExpectation();
    if (options.report === false || input === undefined) return null;
    try {
      const page = await reportPageText(() => input, io);
      if (page === undefined) return null;
      const path = `${stateDir}/report.html`;
      await io.files.replace(path, new TextEncoder().encode(page));
      return path;
    } catch (error) {
      // Trading has ended well: a report that cannot be written is no failure of the run.
      const reason = error instanceof Error ? systemText(error) : String(error);
      io.stderr(`sluice: the report could not be written: ${reason}\n`);
      return null;
    }
  }

  /** @param report path of the report; null: there is none */
  printSummary(report: string | null = null): void {
    const { options, io, bot } = this.#parts;
    const summary = { ...this.#summary(), report };
    if (options.json) io.stdout(`${JSON.stringify(summary)}\n`);
    else {
      const text = summaryText(summary, bot.engine, {
        equity: [...this.#equity.column(0)],
        colour: usesColour(io),
      });
      io.stdout(styled(text));
      if (report !== null) io.stdout(`report ${report}\n`);
    }
  }

  async openReport(report: string | null): Promise<void> {
    if (this.#parts.options.open === true && report !== null)
      await openReport(report, this.#parts.io);
  }

  /** Only the comparison depends on this file: trading goes on without it. */
  async #saveExpectation(): Promise<void> {
    const { expectation, io } = this.#parts;
    try {
      await expectation?.save();
    } catch (error) {
      const reason = error instanceof Error ? systemText(error) : String(error);
      io.stderr(`sluice: the comparison with expected_run could not be written: ${reason}\n`);
    }
  }

  #summary(): RunSummary {
    const { bot, startedAt, stateDir, expectation } = this.#parts;
    return summarise(bot.engine, startedAt, stateDir, {
      startEquity: this.#startEquity,
      reportedPositions: bot.reportedPositions,
      fees: this.#fees,
      wouldSend: bot.wouldSend,
      expectation: expectation?.status ?? null,
      flattenRefused: this.#flattenRefused,
    });
  }
}

/** Prints the summary of a start that never reached its venue. */
export function printVenueUnavailable(
  stateDir: string,
  cause: string,
  { json }: RunOptions,
  io: Io,
): void {
  const summary = venueUnavailableSummary(stateDir, cause);
  const text = venueUnavailableText(stateDir, usesColour(io));
  io.stdout(json ? `${JSON.stringify(summary)}\n` : styled(text));
  io.stderr(
    `sluice: ${cause}. Nothing was sent, and the state of the account is unknown; start again with the same state_dir\n`,
  );
}
