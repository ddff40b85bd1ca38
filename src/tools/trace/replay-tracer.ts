import { textFromFixed, type Quantity } from '../../core/fixed/fixed.js';
import type { EffectSink, Note } from '../../execution/effects.js';
import type { JournalRecord } from '../../execution/journal/journal-record.js';
import type { Mode } from '../../risk/mode.js';
import type { Intent } from '../../strategy/contract/intent.js';
import type {
  HostObserver,
  StrategyHost,
  ObservedCandle,
} from '../../strategy/host/strategy-host.js';
import type { TracedCandle } from './index/trace-store.js';
import type { CandleTrace } from './trace.js';
import { timeText } from './trace-format.js';

/** The state of the replayed engine that a trace shows. */
export interface ReplayState {
  readonly mode: Mode;
  readonly position: (symbol: string) => Quantity;
  readonly venueTime: () => number;
}

export interface TraceListener {
  /** Called on events only, when the engine exists. */
  readonly state: () => ReplayState;
  /** Called for each record of the replay. */
  readonly onRecord: (record: JournalRecord) => void;
  /** Called when the trace of a candle is complete. */
  readonly onCandle: (host: StrategyHost, candle: TracedCandle) => void;
}

/** One candle while one strategy handles it. */
interface CandleVisit extends ObservedCandle {
  readonly host: StrategyHost;
  readonly before: StrategyHost['counts'];
  readonly mode: Mode;
  readonly position: Quantity;
  readonly strategyIntents: Intent[];
  readonly notes: Note[];
  readonly records: JournalRecord[];
}

/**
 * Observes a replay and traces the outcome of each candle. Its effects do nothing: requests and replies
 * of the run are in the record.
 */
export class ReplayTracer implements EffectSink, HostObserver {
  readonly journaling = true;
  readonly #listener: TraceListener;
  #visit: CandleVisit | undefined;
  /** The last note of each strategy, and the last candle with a new decision. */
  readonly #lastNotes = new Map<string, { readonly time: number; readonly text: string }>();
  readonly #lastDecisions = new Map<
    string,
    { readonly openTime: number; readonly intentsText: string }
  >();

  constructor(listener: TraceListener) {
    this.#listener = listener;
  }

  // --- EffectSink ----------------------------------------------------------------------------------

  journal(record: JournalRecord): void {
    this.#listener.onRecord(record);
    this.#visit?.records.push(record);
  }
  notify(note: Note): void {
    const strategy = note.fields?.['strategy'];
    if (this.#visit !== undefined) this.#visit.notes.push(note);
    else if (typeof strategy === 'string') this.#rememberNote(strategy, note);
  }
  requestPermit(): void {
    // The record holds the permit.
  }
  send(): void {
    // The record holds the reply.
  }
  timer(): void {
    // The record holds the timer.
  }

  // --- HostObserver --------------------------------------------------------------------------------

  onCandle(host: StrategyHost, candle: ObservedCandle): void {
    const { mode, position } = this.#listener.state();
    const visit: CandleVisit = {
      ...candle,
      host,
      before: { ...host.counts },
      mode,
      position: position(candle.symbol),
      strategyIntents: [],
      notes: [],
      records: [],
    };
    if (host.state === 'running') this.#visit = visit;
    else this.#emit(visit);
  }

  onIntent(intent: Intent): void {
    this.#visit?.strategyIntents.push(intent);
  }

  onCandleHandled(host: StrategyHost): void {
    const visit = this.#visit;
    this.#visit = undefined;
    if (visit === undefined) return;
    this.#emit(visit);
    for (const note of visit.notes) this.#rememberNote(host.id, note);
    if (host.counts.decisions > visit.before.decisions) {
      const { openTime, strategyIntents } = visit;
      const symbolKey = `${host.id} ${visit.symbol}`;
      this.#lastDecisions.set(symbolKey, {
        openTime,
        intentsText: strategyIntents.map(intentSummary).join(', '),
      });
    }
  }

  #rememberNote(strategy: string, { text }: Note): void {
    this.#lastNotes.set(strategy, { time: this.#listener.state().venueTime(), text });
  }

  #emit(visit: CandleVisit): void {
    const { host, symbol, openTime, mode, position } = visit;
    const { outcome, because } = this.#outcomeOf(visit);
    const lastNote = this.#lastNotes.get(host.id);
    const showsLastNote = outcome === 'held' || outcome === 'waiting' || outcome === 'stopped';
    const idsOf = (type: 'intent' | 'verdict') =>
      visit.records.flatMap((record) => {
        if (record.type !== type) return [];
        if (record.type === 'intent') return [record.clientOrderId];
        return record.type === 'verdict' && !record.ok ? [record.text] : [];
      });
    const trace: CandleTrace = {
      strategy: host.id,
      symbol,
      open_time: timeText(openTime),
      outcome,
      because,
      mode,
      position: textFromFixed(position),
      asked: visit.strategyIntents.map(intentSummary),
      said: visit.notes.map(({ text }) => text),
      ...(showsLastNote &&
        lastNote !== undefined && {
          before: { time: timeText(lastNote.time), text: lastNote.text },
        }),
      orders: idsOf('intent'),
      refusals: idsOf('verdict'),
    };
    this.#listener.onCandle(host, { openTime, trace });
  }

  #outcomeOf(visit: CandleVisit): Pick<CandleTrace, 'outcome' | 'because'> {
    const { host, isLive, isStarted, records, strategyIntents, notes, before, candleCount, mode } =
      visit;
    const intents = records.filter(({ type }) => type === 'intent').length;
    const refusal = records.find((record) => record.type === 'verdict' && !record.ok);
    if (host.state !== 'running' && strategyIntents.length === 0 && notes.length === 0) {
      return { outcome: 'stopped', because: `the strategy had ${host.state} before` };
    }
    if (intents > 0) {
      const countText = intents === 1 ? 'an order' : `${intents} orders`;
      return { outcome: 'ordered', because: `it became ${countText}` };
    }
    if (refusal?.type === 'verdict') {
      return {
        outcome: 'refused',
        because: `refused by ${refusal.control ?? '?'}: ${refusal.text}`,
      };
    }
    if (!isLive) return { outcome: 'history', because: historyText(host, candleCount) };
    if (!isStarted) {
      return {
        outcome: 'not-trading',
        because: `mode was ${mode}: nothing may be ordered before the bot has reconciled with the venue`,
      };
    }
    if (host.counts.refused > before.refused) {
      return { outcome: 'refused', because: notes.at(-1)?.text ?? 'it could not be an order' };
    }
    return this.#outcomeWithoutOrder(visit);
  }

  /** For a live candle of a trading strategy that led to no order. */
  #outcomeWithoutOrder(visit: CandleVisit): Pick<CandleTrace, 'outcome' | 'because'> {
    const { host, strategyIntents, notes, before, candleCount, symbol } = visit;
    const { counts, warmupCandles } = host;
    // An explanation of the strategy is not the reason of the engine.
    const reason = notes.findLast(
      ({ level, text }) => level !== 'info' || WAITS_PATTERN.test(text),
    )?.text;
    if (counts.errors > before.errors) {
      return { outcome: 'stopped', because: reason ?? 'the strategy threw' };
    }
    if (counts.waited > before.waited) {
      return {
        outcome: 'waiting',
        because: reason ?? 'an order of the symbol was in flight',
      };
    }
    if (strategyIntents.length > 0 && counts.decisions > before.decisions) {
      const because = reason ?? 'the position is already on target';
      return { outcome: 'held', because };
    }
    if (strategyIntents.length > 0)
      return { outcome: 'held', because: this.#unchangedText(host.id, symbol, strategyIntents) };
    if (candleCount < warmupCandles) {
      const because = `warming up: candle ${candleCount} of the ${warmupCandles} that the strategy needs`;
      return { outcome: 'warming-up', because };
    }
    return { outcome: 'silent', because: 'the strategy asked for nothing on this candle' };
  }

  #unchangedText(strategy: string, symbol: string, strategyIntents: readonly Intent[]): string {
    const decided = this.#lastDecisions.get(`${strategy} ${symbol}`);
    const since =
      decided === undefined
        ? ''
        : `: it was decided on the candle of ${timeText(decided.openTime)} (${decided.intentsText})`;
    return `it asked for ${strategyIntents.map(intentSummary).join(', ')}, as it did before${since}`;
  }
}

const WAITS_PATTERN = / waits: /;

const historyText = ({ warmupCandles }: StrategyHost, candleCount: number): string =>
  `history: it only warms the strategy up (candle ${candleCount}${warmupCandles === 0 ? '' : ` of ${warmupCandles} needed`}), and nothing is ordered on history`;

/** An intent as a short text. */
export function intentSummary(intent: Intent): string {
  switch (intent.kind) {
    case 'target':
      return `target ${intent.conviction} of ${intent.symbol}`;
    case 'target-quantity':
      return `target ${intent.quantity} ${intent.symbol}`;
    case 'enter':
      return `enter ${intent.request.side} ${intent.symbol}`;
    case 'exit':
      return `exit ${intent.symbol}`;
    case 'limit':
      return `limit ${intent.request.side} ${intent.symbol} at ${intent.request.price}`;
    case 'cancel':
      return `cancel order ${intent.orderKey}`;
    default:
      return String((intent as { readonly kind?: unknown }).kind);
  }
}
