import type { FaultRule } from './fault-rules.js';
import type { FaultInjector } from './faults.js';
import { hashPair } from './integer-hash.js';
import type { StreamSession } from './stream-session.js';

/** What faults have done to one connection's feed. */
interface FeedState {
  /** Nothing is pushed until then, monotonic ms. */
  silentUntilMs: number;
  /** By stream: left out until then, monotonic ms. */
  readonly gapUntilMs: Map<string, number>;
  /** By stream: a frame that waits for the next one to go first. */
  readonly waiting: Map<string, string>;
}

export interface FeedFaultsOptions {
  readonly faults: Pick<FaultInjector, 'hasFeed' | 'push'>;
  readonly monotonicMs: () => number;
  /** Breaks a session's connection. */
  readonly drop: (session: StreamSession) => void;
}

const USUAL_SPIKE = 2;
const LARGE_FRAME = 2_097_152;

/** Pushes frames, and what faults make of them. */
export class FeedFaults {
  readonly #options: FeedFaultsOptions;
  readonly #states = new WeakMap<StreamSession, FeedState>();
  #garbled = 0;

  constructor(options: FeedFaultsOptions) {
    this.#options = options;
  }

  push(session: StreamSession, stream: string, frame: string): void {
    const { faults, drop } = this.#options;
    const struck = faults.hasFeed ? faults.push(stream) : [];
    const state = this.#states.get(session);
    if (struck.length === 0 && state === undefined) {
      session.connection.send(frame);
      return;
    }
    if (struck.some(({ name }) => name === 'ws_drop')) drop(session);
    else this.#deliver(session, stream, frame, struck);
  }

  #deliver(
    session: StreamSession,
    stream: string,
    frame: string,
    struck: readonly FaultRule[],
  ): void {
    const state = this.#stateOf(session);
    const nowMs = this.#options.monotonicMs();
    for (const rule of struck) hush(state, stream, rule, nowMs);
    const isGap = struck.some(({ name }) => name === 'ws_gap');
    if (nowMs < state.silentUntilMs || isGap || nowMs < (state.gapUntilMs.get(stream) ?? 0)) return;
    const text = struck
      .toSorted(garbageLast)
      .reduce((changed, rule) => this.#changed(changed, rule), frame);
    const earlier = state.waiting.get(stream);
    state.waiting.delete(stream);
    if (struck.some(({ name }) => name === 'ws_ooo') && earlier === undefined) {
      state.waiting.set(stream, text);
      return;
    }
    session.connection.send(text);
    if (earlier !== undefined) session.connection.send(earlier);
    if (struck.some(({ name }) => name === 'ws_dup')) session.connection.send(text);
  }

  #stateOf(session: StreamSession): FeedState {
    const known = this.#states.get(session);
    if (known !== undefined) return known;
    const state: FeedState = { silentUntilMs: 0, gapUntilMs: new Map(), waiting: new Map() };
    this.#states.set(session, state);
    return state;
  }

  #changed(frame: string, { name, argument }: FaultRule): string {
    switch (name) {
      case 'ws_garbage':
        this.#garbled += 1;
        return garbage(frame, hashPair(this.#garbled, frame.length));
      case 'zero_ohlc':
        return edited(frame, (row) => ('o' in row ? { ...row, o: 0, h: 0, l: 0, v: 0 } : row));
      case 'price_spike':
        return edited(frame, (row) => spiked(row, Number(argument || USUAL_SPIKE)));
      default:
        return frame;
    }
  }
}

/** Without a delay silence lasts until the connection ends, and a gap is one frame long. */
function hush(state: FeedState, stream: string, { name, delayMs }: FaultRule, nowMs: number): void {
  if (name === 'ws_silent') state.silentUntilMs = delayMs === 0 ? Infinity : nowMs + delayMs;
  if (name === 'ws_gap') state.gapUntilMs.set(stream, nowMs + delayMs);
}

/** What is garbage cannot be read to be changed in any other way. */
const garbageLast = (a: FaultRule, b: FaultRule): number =>
  Number(a.name === 'ws_garbage') - Number(b.name === 'ws_garbage');

type Row = Readonly<Record<string, unknown>>;

/** The same frame with every row of its data changed. */
function edited(frame: string, edit: (row: Row) => Row): string {
  const { stream, data } = JSON.parse(frame) as { stream: string; data: Row | readonly Row[] };
  return JSON.stringify({ stream, data: Array.isArray(data) ? data.map(edit) : edit(data as Row) });
}

function spiked(row: Row, factor: number): Row {
  if ('p' in row) return { ...row, p: Number(row['p']) * factor };
  const price = Number(row['c']) * factor;
  return {
    ...row,
    c: price,
    h: Math.max(price, Number(row['h'])),
    l: Math.min(price, Number(row['l'])),
  };
}

/** Half a frame, no JSON, JSON that is no push, a NUL, or a frame of two megabytes. */
function garbage(frame: string, draw: number): string {
  const kinds = [
    frame.slice(0, Math.floor(frame.length / 2)),
    '<html>502 Bad Gateway</html>',
    'null',
    '[]',
    '{"stream":7,"data":"NaN"}',
    frame.replace(/:\d/, ':1e999'),
    `\u0000${frame}`,
    `"${'x'.repeat(LARGE_FRAME)}"`,
  ];
  return kinds[draw % kinds.length] ?? '';
}
