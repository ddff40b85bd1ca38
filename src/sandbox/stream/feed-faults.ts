import type { FaultRule } from '../faults/fault-rules.js';
import type { FaultInjector } from '../faults/faults.js';
import { hashPair } from '../../core/integer-hash.js';
import type { SandboxStreamSession } from './sandbox-stream-session.js';

/** State of the faults on one connection's feed. */
interface FeedState {
  /** No pushes until this monotonic ms. */
  silentUntilMs: number;
  /** By stream: no frames until this monotonic ms. */
  readonly gapUntilMs: Map<string, number>;
  /** By stream: a frame sent after its successor. */
  readonly delayedFrames: Map<string, string>;
}

export interface FeedFaultsOptions {
  readonly faults: Pick<FaultInjector, 'hasFeed' | 'push'>;
  readonly monotonicMs: () => number;
  /** Breaks a session's connection. */
  readonly drop: (session: SandboxStreamSession) => void;
}

const DEFAULT_SPIKE = 2;
const LARGE_FRAME = 2_097_152;

/** Pushes frames, changed by the faults that apply to them. */
export class FeedFaults {
  readonly #options: FeedFaultsOptions;
  readonly #states = new WeakMap<SandboxStreamSession, FeedState>();
  #garbled = 0;

  constructor(options: FeedFaultsOptions) {
    this.#options = options;
  }

  push(session: SandboxStreamSession, stream: string, frame: string): void {
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
    session: SandboxStreamSession,
    stream: string,
    frame: string,
    struck: readonly FaultRule[],
  ): void {
    const state = this.#stateOf(session);
    const nowMs = this.#options.monotonicMs();
    for (const rule of struck) applySilence(state, stream, rule, nowMs);
    const isGap = struck.some(({ name }) => name === 'ws_gap');
    if (nowMs < state.silentUntilMs || isGap || nowMs < (state.gapUntilMs.get(stream) ?? 0)) return;
    const text = struck
      .toSorted(garbageLast)
      .reduce((changed, rule) => this.#applyFault(changed, rule), frame);
    const earlier = state.delayedFrames.get(stream);
    state.delayedFrames.delete(stream);
    if (struck.some(({ name }) => name === 'ws_ooo') && earlier === undefined) {
      state.delayedFrames.set(stream, text);
      return;
    }
    session.connection.send(text);
    if (earlier !== undefined) session.connection.send(earlier);
    if (struck.some(({ name }) => name === 'ws_dup')) session.connection.send(text);
  }

  #stateOf(session: SandboxStreamSession): FeedState {
    const existing = this.#states.get(session);
    if (existing !== undefined) return existing;
    const state: FeedState = { silentUntilMs: 0, gapUntilMs: new Map(), delayedFrames: new Map() };
    this.#states.set(session, state);
    return state;
  }

  #applyFault(frame: string, { name, argument }: FaultRule): string {
    switch (name) {
      case 'ws_garbage':
        this.#garbled += 1;
        return garbage(frame, hashPair(this.#garbled, frame.length));
      case 'zero_ohlc':
        return edited(frame, (row) => ('o' in row ? { ...row, o: 0, h: 0, l: 0, v: 0 } : row));
      case 'price_spike':
        return edited(frame, (row) => spiked(row, Number(argument || DEFAULT_SPIKE)));
      default:
        return frame;
    }
  }
}

/** Without a delay, silence lasts until the connection ends and a gap is one frame long. */
function applySilence(
  state: FeedState,
  stream: string,
  { name, delayMs }: FaultRule,
  nowMs: number,
): void {
  if (name === 'ws_silent') state.silentUntilMs = delayMs === 0 ? Infinity : nowMs + delayMs;
  if (name === 'ws_gap') state.gapUntilMs.set(stream, nowMs + delayMs);
}

/** Garbage comes last, since other faults must still parse the frame. */
const garbageLast = (a: FaultRule, b: FaultRule): number =>
  Number(a.name === 'ws_garbage') - Number(b.name === 'ws_garbage');

type Row = Readonly<Record<string, unknown>>;

/** The frame with every row of its data edited. */
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

/** Half a frame, text that is not JSON, JSON that is not a push, a NUL, or a frame of 2 MiB. */
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
