import type { Candle } from '../../core/candle.js';
import { closeTimeOf, type Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candle-columns.js';
import type { WarmUpNeed } from '../../market/warm-up.js';
import type { Outbox } from '../context.js';
import { FarError } from '../host/failure-place.js';
import type { StrategyForm } from '../form/form.js';
import { StrategyLoadError } from '../loader/load-error.js';
import type { KeptCell } from '../host/state-cell.js';
import type { HostSettings } from '../host/strategy-host.js';
import type { StreamEnds } from '../form/stream-form.js';
import type { FundingView, PositionChange, SecondView, TimerView } from '../views.js';
import type { FillEvent, OrderEnd } from '../world.js';
import type { Act, Answer, Call, CandleCall, FormFacts, Making, PlainCall } from './call.js';
import { hookOf } from './hook-names.js';
import type { Silence, StrategyLine } from './strategy-line.js';
import { ThreadCells } from './thread-cells.js';
import { WorldGazette } from './world-gazette.js';

export interface ThreadFormParts {
  readonly line: StrategyLine;
  readonly settings: HostSettings;
  readonly outbox: Outbox;
  readonly ends: StreamEnds;
  readonly budgets: CallBudgets;
  /** Told once, when the code is gone: nothing of it is called from that call on. */
  readonly lost: (loss: Loss) => void;
}

/** Real ms that a call may take. */
export interface CallBudgets {
  /** Making it, and opening its streams. */
  readonly makeMs: number;
  /** Every other call. */
  readonly hookMs: number;
}

export interface Loss {
  /** The first call without an answer, from 1. */
  readonly call: number;
  readonly reason: string;
}

/**
 * A strategy whose code runs on a thread of its own: each call is sent there, and the engine waits for
 * what comes of it. What the strategy asked for is carried out here, in its order, as if it had run
 * here. A call that is not answered in time has done nothing, and none follows it.
 */
export class ThreadForm implements StrategyForm {
  readonly intervals: readonly Interval[];
  readonly needs: readonly WarmUpNeed[];
  readonly hearsFills: boolean;
  readonly hearsOrders: boolean;
  readonly hearsRounds: boolean;
  readonly hearsMarket: boolean;
  readonly hearsPositions: boolean;
  readonly #parts: ThreadFormParts;
  readonly #facts: FormFacts;
  readonly #cells: ThreadCells;
  readonly #gazette: WorldGazette;
  /** Rows that were sent, by series. */
  readonly #sent = new Map<string, number>();
  /** The last candle of the own interval, by symbol. */
  readonly #closed = new Map<string, { readonly closedAt: number; readonly close: number }>();
  #calls = 0;
  #over = false;

  /** @throws StrategyLoadError with what the strategy threw, or that it did not return */
  constructor(parts: ThreadFormParts) {
    this.#parts = parts;
    this.#gazette = new WorldGazette(parts.settings);
    const facts = this.#make();
    this.#facts = facts;
    this.intervals = facts.intervals;
    this.needs = facts.needs;
    this.hearsFills = facts.hearsFills;
    this.hearsOrders = facts.hearsOrders;
    this.hearsRounds = facts.hearsRounds;
    this.hearsMarket = facts.hearsMarket;
    this.hearsPositions = facts.hearsPositions;
    this.#cells = new ThreadCells(facts.cells);
    parts.line.listen({
      strayed: (stray) => {
        if (stray.kind === 'ended') this.#lose(this.#calls + 1, stray.reason);
        else if (!this.#over) parts.outbox.explain(stray.text);
      },
      gone: (reason) => {
        this.#lose(this.#calls + 1, reason);
      },
    });
  }

  cells(symbol?: string): readonly KeptCell[] {
    return this.#over ? [] : this.#cells.of(symbol);
  }

  open(): void {
    this.#call({ method: 'open', args: [] }, undefined, this.#parts.budgets.makeMs);
  }
  start(): void {
    this.#call({ method: 'start', args: [] });
  }

  candle(symbol: string, interval: Interval, candles: CandleColumns, index: number): void {
    if (interval === this.#parts.settings.interval && this.#facts.tellsCloses)
      this.#closed.set(symbol, {
        closedAt: closeTimeOf(interval, candles.openTime[index] as number),
        close: candles.close[index] as number,
      });
    const rows = this.#over ? [] : this.#newRows(`${interval} ${symbol}`, candles, index);
    this.#call({ method: 'candle', symbol, interval, rows, index }, symbol);
  }

  round(closedAt: number): void {
    this.#call({ method: 'round', args: [closedAt] });
  }

  closeAt(symbol: string, closedAt: number): number | undefined {
    const last = this.#closed.get(symbol);
    return last?.closedAt === closedAt ? last.close : undefined;
  }

  revision(symbol: string, candle: Candle): void {
    this.#call({ method: 'revision', args: [symbol, candle] }, symbol);
  }
  second(symbol: string, second: SecondView): void {
    this.#call({ method: 'second', args: [symbol, second] }, symbol);
  }
  markCandle(symbol: string, candle: Candle): void {
    this.#call({ method: 'markCandle', args: [symbol, candle] }, symbol);
  }
  ticker(symbol: string, last: number, mark: number | undefined): void {
    this.#call({ method: 'ticker', args: [symbol, last, mark] }, symbol);
  }
  fill(fill: FillEvent): void {
    this.#call({ method: 'fill', args: [fill] }, fill.symbol);
  }
  ended(end: OrderEnd): void {
    this.#call({ method: 'ended', args: [end] }, end.intent.terms.symbol);
  }
  moved(symbol: string, before: number, reason: PositionChange['reason']): void {
    this.#call({ method: 'moved', args: [symbol, before, reason] }, symbol);
  }
  funding(funding: FundingView): void {
    this.#call({ method: 'funding', args: [funding] }, funding.symbol);
  }
  timer(key: string): void {
    this.#call({ method: 'timer', args: [key] });
  }
  due(symbol: string, timer: TimerView): void {
    this.#call({ method: 'due', args: [symbol, timer] }, symbol);
  }
  stop(): void {
    this.#call({ method: 'stop', args: [] });
  }

  close(): void {
    this.#over = true;
    this.#parts.line.close();
  }

  #make(): FormFacts {
    const { line, settings, budgets } = this.#parts;
    const { id, symbols, interval, size, protection = {}, world } = settings;
    const kept = ['*', ...symbols].flatMap((key) => {
      const state = world.kept(key);
      return state === undefined ? [] : [[key, state] as const];
    });
    const call: Making = {
      method: 'make',
      ...{ id, symbols, interval, size, protection, kept },
      currency: world.currency,
      entry: settings.entry ?? { kind: 'market' },
      ...(settings.costs !== undefined && { costs: settings.costs }),
    };
    const answer = line.ask({ call, news: this.#gazette.news(), undone: [] }, budgets.makeMs);
    if ('silence' in answer)
      throw new StrategyLoadError(
        `Strategy ${id} could not be made: ${silenceText(answer, 'create', budgets.makeMs)}`,
      );
    if (answer.made === undefined)
      throw new StrategyLoadError(answer.threw ?? `Strategy ${id} could not be made`);
    for (const act of answer.acts) this.#carry(act);
    return answer.made;
  }

  #newRows(series: string, columns: CandleColumns, index: number): CandleCall['rows'] {
    const { openTime, open, high, low, close, volume } = columns;
    const rows: number[] = [];
    for (let at = this.#sent.get(series) ?? 0; at <= index; at++)
      for (const column of [openTime, open, high, low, close, volume])
        rows.push(column[at] as number);
    this.#sent.set(series, index + 1);
    return rows;
  }

  /** @throws FarError what the strategy threw */
  #call(
    call: PlainCall | CandleCall,
    symbol?: string,
    budgetMs = this.#parts.budgets.hookMs,
  ): void {
    this.#calls += 1;
    if (this.#over) return;
    const ask = {
      call: call as Call,
      news: this.#gazette.news(),
      undone: this.#cells.takeUndone(),
      ...(symbol !== undefined && { symbol }),
    };
    const answer = this.#parts.line.ask(ask, budgetMs);
    if ('silence' in answer) {
      const hook = hookOf(call, this.#parts.settings.interval, !this.#facts.tellsCloses);
      this.#lose(this.#calls, silenceText(answer, hook, budgetMs));
    } else this.#take(answer);
  }

  #take({ acts, offers, threw }: Answer): void {
    this.#cells.see(offers);
    for (const act of acts) this.#carry(act);
    if (threw !== undefined) throw new FarError(threw);
  }

  #carry(act: Act): void {
    const { outbox, ends, settings } = this.#parts;
    switch (act.kind) {
      case 'intent':
        outbox.put(act.intent, act.place);
        return;
      case 'explain':
        outbox.explain(act.text);
        return;
      case 'timer':
        outbox.timer(act.symbol, act.at, act.key);
        return;
      case 'wake':
        settings.world.timer(act.at, act.key);
        return;
      case 'failed':
        ends.failed(new FarError(act.text));
        return;
      case 'completed':
        ends.completed();
        return;
    }
  }

  #lose(call: number, reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#parts.lost({ call, reason });
  }
}

const silenceText = ({ silence }: Silence, hook: string, budgetMs: number): string =>
  silence === 'late'
    ? `${hook} did not return within ${budgetMs / 1_000} s`
    : `${hook} ended its thread (process.exit?)`;
