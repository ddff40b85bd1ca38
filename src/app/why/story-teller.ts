import { textFromFixed, type Quantity } from '../../core/fixed.js';
import type { EffectSink, Note } from '../../execution/effects.js';
import type { JournalRecord } from '../../execution/journal/journal-record.js';
import type { Mode } from '../../risk/mode.js';
import type { Intent } from '../../strategy/intent.js';
import type { HostWatch, StrategyHost, WatchedCandle } from '../../strategy/host/strategy-host.js';
import type { ToldCandle } from './story-store.js';
import type { CandleStory } from './story.js';
import { timeText } from './words.js';

/** What the teller asks of the engine that is replayed. */
export interface ReplayedWorld {
  readonly mode: Mode;
  readonly position: (symbol: string) => Quantity;
  readonly venueTime: () => number;
}

export interface Ears {
  /** The world is there by the time anything happens. */
  readonly world: () => ReplayedWorld;
  /** A record that the replay makes. */
  readonly journaled: (record: JournalRecord) => void;
  /** A candle has its story. */
  readonly told: (host: StrategyHost, candle: ToldCandle) => void;
}

/** One candle in one strategy's hands. */
interface Handling extends WatchedCandle {
  readonly host: StrategyHost;
  readonly before: StrategyHost['counts'];
  readonly mode: Mode;
  readonly position: Quantity;
  readonly asked: Intent[];
  readonly notes: Note[];
  readonly records: JournalRecord[];
}

/**
 * Listens to a replay and tells what came of each candle. Acts on nothing: what a run sent and was
 * answered is in its record.
 */
export class StoryTeller implements EffectSink, HostWatch {
  readonly journaling = true;
  readonly #ears: Ears;
  #handling: Handling | undefined;
  /** The last word of each strategy, and the last candle on which it wanted something else. */
  readonly #words = new Map<string, { readonly time: number; readonly text: string }>();
  readonly #decided = new Map<string, { readonly openTime: number; readonly asked: string }>();

  constructor(ears: Ears) {
    this.#ears = ears;
  }

  // --- effects -------------------------------------------------------------------------------------

  journal(record: JournalRecord): void {
    this.#ears.journaled(record);
    this.#handling?.records.push(record);
  }
  notify(note: Note): void {
    const strategy = note.fields?.['strategy'];
    if (this.#handling !== undefined) this.#handling.notes.push(note);
    else if (typeof strategy === 'string') this.#remember(strategy, note);
  }
  slot(): void {
    // The record has the slot.
  }
  send(): void {
    // The record has the reply.
  }
  timer(): void {
    // The record has the timer.
  }

  // --- the watch -----------------------------------------------------------------------------------

  candle(host: StrategyHost, candle: WatchedCandle): void {
    const { mode, position } = this.#ears.world();
    const handling = {
      ...candle,
      host,
      before: { ...host.counts },
      mode,
      position: position(candle.symbol),
      asked: [],
      notes: [],
      records: [],
    };
    if (host.state === 'running') this.#handling = handling;
    else this.#tell(handling);
  }

  asked(intent: Intent): void {
    this.#handling?.asked.push(intent);
  }

  done(host: StrategyHost): void {
    const handling = this.#handling;
    this.#handling = undefined;
    if (handling === undefined) return;
    this.#tell(handling);
    for (const note of handling.notes) this.#remember(host.id, note);
    if (host.counts.decisions > handling.before.decisions) {
      const { openTime, asked } = handling;
      const key = `${host.id} ${handling.symbol}`;
      this.#decided.set(key, { openTime, asked: asked.map(askedText).join(', ') });
    }
  }

  #remember(strategy: string, { text }: Note): void {
    this.#words.set(strategy, { time: this.#ears.world().venueTime(), text });
  }

  #tell(handling: Handling): void {
    const { host, symbol, openTime, mode, position } = handling;
    const { outcome, because } = this.#verdictOn(handling);
    const word = this.#words.get(host.id);
    const bears = outcome === 'held' || outcome === 'waiting' || outcome === 'stopped';
    const idsOf = (type: 'intent' | 'verdict') =>
      handling.records.flatMap((record) => {
        if (record.type !== type) return [];
        if (record.type === 'intent') return [record.clientOrderId];
        return record.type === 'verdict' && !record.ok ? [record.text] : [];
      });
    const story: CandleStory = {
      strategy: host.id,
      symbol,
      open_time: timeText(openTime),
      outcome,
      because,
      mode,
      position: textFromFixed(position),
      asked: handling.asked.map(askedText),
      said: handling.notes.map(({ text }) => text),
      ...(bears &&
        word !== undefined && { before: { time: timeText(word.time), text: word.text } }),
      orders: idsOf('intent'),
      refusals: idsOf('verdict'),
    };
    this.#ears.told(host, { openTime, story });
  }

  #verdictOn(handling: Handling): Pick<CandleStory, 'outcome' | 'because'> {
    const { host, live, started, records, asked, notes, before, seen, mode } = handling;
    const intents = records.filter(({ type }) => type === 'intent').length;
    const refusal = records.find((record) => record.type === 'verdict' && !record.ok);
    if (host.state !== 'running' && asked.length === 0 && notes.length === 0) {
      return { outcome: 'stopped', because: `the strategy had ${host.state} before` };
    }
    if (intents > 0) {
      const many = intents === 1 ? 'an order' : `${intents} orders`;
      return { outcome: 'ordered', because: `it became ${many}` };
    }
    if (refusal?.type === 'verdict') {
      return {
        outcome: 'refused',
        because: `refused by ${refusal.control ?? '?'}: ${refusal.text}`,
      };
    }
    if (!live) return { outcome: 'history', because: historyText(host, seen) };
    if (!started) {
      return {
        outcome: 'not-trading',
        because: `mode was ${mode}: nothing may be ordered before the bot has reconciled with the venue`,
      };
    }
    if (host.counts.refused > before.refused) {
      return { outcome: 'refused', because: notes.at(-1)?.text ?? 'it could not be an order' };
    }
    return this.#quiet(handling);
  }

  /** Seen live by a strategy that may trade, and no order came of it. */
  #quiet(handling: Handling): Pick<CandleStory, 'outcome' | 'because'> {
    const { host, asked, notes, before, seen, symbol } = handling;
    const { counts, warmupCandles } = host;
    // What the strategy explains is no reason of ours.
    const said = notes.findLast(({ level, text }) => level !== 'info' || WAITS.test(text))?.text;
    if (counts.errors > before.errors) {
      return { outcome: 'stopped', because: said ?? 'the strategy threw' };
    }
    if (counts.waited > before.waited) {
      return {
        outcome: 'waiting',
        because: said ?? 'an order of the symbol was under way',
      };
    }
    if (asked.length > 0 && counts.decisions > before.decisions) {
      const because = said ?? 'the position is already what it wants';
      return { outcome: 'held', because };
    }
    if (asked.length > 0)
      return { outcome: 'held', because: this.#standingText(host.id, symbol, asked) };
    if (seen < warmupCandles) {
      const because = `warming up: candle ${seen} of the ${warmupCandles} that the strategy needs`;
      return { outcome: 'warming-up', because };
    }
    return { outcome: 'silent', because: 'the strategy asked for nothing on this candle' };
  }

  #standingText(strategy: string, symbol: string, asked: readonly Intent[]): string {
    const decided = this.#decided.get(`${strategy} ${symbol}`);
    const since =
      decided === undefined
        ? ''
        : `: it was decided on the candle of ${timeText(decided.openTime)} (${decided.asked})`;
    return `it asked for ${asked.map(askedText).join(', ')}, which already stands${since}`;
  }
}

const WAITS = / waits: /;

const historyText = ({ warmupCandles }: StrategyHost, seen: number): string =>
  `history: it was seen to warm up on (candle ${seen}${warmupCandles === 0 ? '' : ` of ${warmupCandles} needed`}), and nothing is ordered on history`;

/** What a strategy asked for, in words. */
export function askedText(intent: Intent): string {
  switch (intent.kind) {
    case 'target':
      return `target ${intent.conviction} of ${intent.symbol}`;
    case 'target-quantity':
      return `target ${intent.quantity} ${intent.symbol}`;
    case 'enter':
      return `enter ${intent.wish.side} ${intent.symbol}`;
    case 'exit':
      return `exit ${intent.symbol}`;
    case 'limit':
      return `limit ${intent.wish.side} ${intent.symbol} at ${intent.wish.price}`;
    case 'cancel':
      return `cancel order ${intent.orderKey}`;
    default:
      return String((intent as { readonly kind?: unknown }).kind);
  }
}
