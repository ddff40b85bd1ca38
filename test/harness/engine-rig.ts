import type { AccountSnapshot, PositionReport } from '../../src/core/account.js';
import type { Candle, CandlePrice } from '../../src/core/candle.js';
import type { Happening } from '../../src/core/events.js';
import { textFromFixed, type Quantity, type Ratio } from '../../src/core/fixed.js';
import type { Interval } from '../../src/core/interval.js';
import type { OrderReport } from '../../src/core/order.js';
import type {
  Reply,
  ReplyTo,
  RequestKind,
  RequestOf,
  VenueRequest,
} from '../../src/core/request.js';
import { Engine, type EngineOptions } from '../../src/engine/engine.js';
import type { EffectSink, Note, TimerClock } from '../../src/execution/effects.js';
import type { JournalRecord } from '../../src/execution/journal/journal-record.js';
import { HISTORY_SLACK_MS } from '../../src/execution/constants.js';
import { createGate } from '../../src/risk/gate.js';
import { DEFAULT_LIMITS } from '../../src/risk/limits.js';
import type { MarketStream } from '../../src/strategy/definition.js';
import type { MovedBy } from '../../src/strategy/world.js';
import type { StrategyHost } from '../../src/strategy/host/host.js';
import type { StrategyWorld, SubmitResult } from '../../src/strategy/world.js';
import { anIntent, BTC, d, MONOTONIC, VENUE_TIME, type IntentCase } from './risk-case.js';

/** A strategy that does nothing, and remembers what it was told. */
export class SpyHost implements StrategyHost {
  readonly id: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  readonly warmupCandles = 0;
  readonly intervals: readonly Interval[];
  readonly hearsRounds: boolean;
  readonly streams: readonly MarketStream[];
  readonly state = 'running';
  readonly errors = [];
  readonly counts = {} as StrategyHost['counts'];
  readonly world: StrategyWorld;
  /** `start`, `candle 5m 1746403200000 live`, `fill buy`, … */
  readonly heard: string[] = [];
  /** Of each move that it heard of. */
  readonly movedBy: string[] = [];
  /** Runs after what it is told of. */
  react: ((told: string) => void) | undefined;

  constructor(
    id: string,
    symbols: readonly string[],
    interval: Interval,
    world: StrategyWorld,
    streams: readonly MarketStream[] = [],
    more: { readonly intervals?: readonly Interval[]; readonly rounds?: boolean } = {},
  ) {
    this.id = id;
    this.intervals = more.intervals ?? [];
    this.hearsRounds = more.rounds ?? false;
    this.streams = streams;
    this.symbols = symbols;
    this.interval = interval;
    this.world = world;
  }

  get needs() {
    return [{ interval: this.interval, count: 0 }];
  }
  start(): void {
    this.#hear('start');
  }
  candle(...[symbol, interval, columns, index, live]: Parameters<StrategyHost['candle']>): void {
    const openTime = columns.openTime[index] as number;
    this.#hear(`candle ${symbol} ${interval} ${openTime}${live ? ' live' : ''}`);
  }
  located(): void {
    this.#hear('located');
  }
  round(closedAt: number, live: boolean): void {
    this.#hear(`round ${closedAt}${live ? ' live' : ''}`);
  }
  revision(symbol: string, { openTime, close }: Candle): void {
    this.#hear(`revision ${symbol} ${openTime} ${close}`);
  }
  second(symbol: string, price: CandlePrice, { openTime, close }: Candle): void {
    this.#hear(`second ${symbol} ${price} ${openTime} ${close}`);
  }
  markCandle(symbol: string, { openTime, close }: Candle): void {
    this.#hear(`mark-candle ${symbol} ${openTime} ${close}`);
  }
  funding(symbol: string, { rate }: Parameters<StrategyHost['funding']>[1]): void {
    this.#hear(`funding ${symbol} ${rate}`);
  }
  ticker(symbol: string, last: number, mark?: number): void {
    this.#hear(`ticker ${symbol} ${last} ${mark ?? 'no mark'}`);
  }
  fill({ side, quantity, price }: Parameters<StrategyHost['fill']>[0]): void {
    this.#hear(`fill ${side} ${quantity} ${price}`);
  }
  orderEnded({ key, end }: Parameters<StrategyHost['orderEnded']>[0]): void {
    this.#hear(`ended ${key} ${end}`);
  }
  positionMoved(symbol: string, by: MovedBy): void {
    this.movedBy.push(by);
    this.#hear(`moved ${symbol}`);
  }
  movedWhileDown(symbol: string, before: Quantity): void {
    this.#hear(`moved while down ${symbol} from ${textFromFixed(before)}`);
  }
  resume(symbol: string): void {
    this.#hear(`resume ${symbol}`);
  }
  timer(key: string): void {
    this.#hear(`timer ${key}`);
  }
  lost(reason: string): void {
    this.#hear(`lost ${reason}`);
  }
  stop(): void {
    this.#hear('stop');
  }

  #hear(told: string): void {
    this.heard.push(told);
    this.react?.(told);
  }
}

interface Timer {
  readonly clock: TimerClock;
  readonly at: number;
  readonly key: string;
}

interface RigOptions extends Partial<EngineOptions> {
  readonly hosts?: readonly {
    readonly id: string;
    readonly interval: Interval;
    readonly symbols?: readonly string[];
    readonly streams?: readonly MarketStream[];
    readonly intervals?: readonly Interval[];
    readonly rounds?: boolean;
  }[];
}

/** An engine whose requests a test answers, on a time that a test moves. */
export class EngineRig implements EffectSink {
  readonly journaling = true;
  readonly engine: Engine;
  readonly hosts: SpyHost[] = [];
  readonly records: JournalRecord[] = [];
  readonly notes: Note[] = [];
  /** Sent and not answered. */
  readonly sent: { readonly id: number; readonly request: VenueRequest }[] = [];
  /** The rows that the engine's own reads of order history find. */
  history: readonly OrderReport[] = [];
  /** Reads of order history that no order of ours has asked for. */
  historyReads = 0;
  readonly #slots: number[] = [];
  readonly #watched: { id: number; request: RequestOf<'read-order-history'> }[] = [];
  readonly #timers: Timer[] = [];
  venueTime = VENUE_TIME;
  monotonic = MONOTONIC;

  constructor({ hosts = [{ id: 'cross', interval: '1m' }], ...options }: RigOptions = {}) {
    this.engine = new Engine({
      account: 'rig',
      currency: 'USDT',
      base: '1m',
      gate: createGate({ preset: 'none', limits: DEFAULT_LIMITS }),
      effects: this,
      seats: hosts.map(({ id, interval, symbols = ['BTCUSDT'], streams, ...more }) => ({
        id,
        symbols,
        interval,
        leverage: d<'ratio'>('2') satisfies Ratio,
        create: (world) => {
          const host = new SpyHost(id, symbols, interval, world, streams, more);
          this.hosts.push(host);
          return host;
        },
      })),
      ...options,
    });
  }

  /** An engine that trades, with nothing at the venue. */
  static trading(options: RigOptions = {}): EngineRig {
    const rig = new EngineRig(options);
    rig.begin();
    rig.tick(60_000);
    return rig;
  }

  get host(): SpyHost {
    const [host] = this.hosts;
    if (host === undefined) throw new Error('there is a host');
    return host;
  }

  begin(positions: readonly PositionReport[] = []): void {
    this.happen({ kind: 'instruments', instruments: [BTC] });
    while (this.waiting('read-leverage') !== undefined)
      this.answer('read-leverage', { kind: 'yes', value: d('2') });
    this.poll(positions);
    this.pass(300);
    this.answer('read-positions', { kind: 'yes', value: positions });
  }

  /** As `begin`, with positions that are ours already. */
  beginWith(positions: readonly PositionReport[]): void {
    for (const { symbol } of positions) {
      const command = { kind: 'adopt', what: symbol } as const;
      this.happen({ kind: 'command', commandId: `adopt-${symbol}`, command });
    }
    this.begin(positions);
    this.records.length = 0;
  }

  // --- sink ----------------------------------------------------------------------------------------

  journal(record: JournalRecord): void {
    this.records.push(record);
  }
  slot(requestId: number): void {
    this.#slots.push(requestId);
  }
  send(id: number, request: VenueRequest): void {
    const isWatch = request.kind === 'read-order-history' && !this.#isLook(request);
    if (isWatch) this.#watched.push({ id, request });
    else this.sent.push({ id, request });
  }
  timer(clock: TimerClock, at: number, key: string): void {
    this.#timers.push({ clock, at, key });
  }
  notify(note: Note): void {
    this.notes.push(note);
  }

  // --- what happens --------------------------------------------------------------------------------

  /** One event, and the slots that it asks for. */
  happen(happening: Happening): void {
    this.engine.handle({
      ...happening,
      venueTime: this.venueTime,
      monotonic: this.monotonic,
    });
    for (let id = this.#slots.shift(); id !== undefined; id = this.#slots.shift())
      this.happen({ kind: 'slot', requestId: id });
    for (let asked = this.#watched.shift(); asked !== undefined; asked = this.#watched.shift())
      this.#answerWatch(asked);
  }

  /** Lets both times pass, timer by timer. */
  pass(ms: number): void {
    const until = this.monotonic + ms;
    for (let due = this.#due(until); due !== undefined; due = this.#due(until)) {
      this.#setTime(Math.max(this.#at(due), this.monotonic));
      this.happen({ kind: 'timer', key: due.key });
    }
    this.#setTime(until);
  }

  tick(last: number, mark?: number): void {
    const row = { symbol: 'BTCUSDT', last, ...(mark !== undefined && { mark }) };
    this.happen({ kind: 'tickers', rows: [row] });
  }

  candle(openTime: number, close = 60_000, live = true): void {
    const candle: Candle = { openTime, open: close, high: close, low: close, close, volume: 1 };
    const event = { symbol: 'BTCUSDT', interval: '1m', candles: [candle], live } as const;
    this.happen({ kind: 'candles', ...event });
  }

  snapshot(snapshot: AccountSnapshot): void {
    this.happen({ kind: 'account', snapshot });
  }

  /** One round of the account's polls, asked for now. */
  poll(
    positions: readonly PositionReport[] = [],
    orders: readonly OrderReport[] = [],
    startedAt = this.monotonic,
  ): void {
    const currency = 'USDT' as const;
    const wallet = { currency, balance: d<'USDT'>('10000'), locked: d<'USDT'>('0') };
    this.snapshot({ kind: 'wallet', currency, startedAt, wallet });
    this.snapshot({ kind: 'open-orders', currency, startedAt, orders });
    this.snapshot({ kind: 'positions', currency, startedAt, positions });
  }

  submit(of: IntentCase = {}, validMs = 60_000): SubmitResult {
    const intent = { ...anIntent(of), validUntil: this.venueTime + validMs };
    this.engine.at(this.venueTime, this.monotonic);
    const verdict = this.host.world.submit(intent);
    for (let id = this.#slots.shift(); id !== undefined; id = this.#slots.shift())
      this.happen({ kind: 'slot', requestId: id });
    return verdict;
  }

  waiting<K extends RequestKind>(kind: K): RequestOf<K> | undefined {
    return this.sent.map(({ request }) => request).find((request) => request.kind === kind) as
      RequestOf<K> | undefined;
  }

  /** Answers the oldest request of its kind. */
  answer<K extends RequestKind>(to: K, outcome: ReplyTo<K>): void {
    const at = this.sent.findIndex(({ request }) => request.kind === to);
    const [asked] = this.sent.splice(at, 1);
    if (at < 0 || asked === undefined) throw new Error(`no ${to} waits for an answer`);
    this.happen({ kind: 'reply', requestId: asked.id, reply: { to, outcome } as Reply });
  }

  /** Passes time until a lookup waits, and answers it. */
  look(outcome: ReplyTo<'find-order'>): void {
    for (let ms = 0; this.waiting('find-order') === undefined && ms < 120_000; ms += 50)
      this.pass(50);
    this.answer('find-order', outcome);
  }

  /** The next lookup finds nothing, and the search of history after it has these rows. */
  miss(history: readonly OrderReport[] = []): void {
    this.look({ kind: 'no', code: 'order-not-found', text: 'order not found', status: 404 });
    this.answer('read-order-history', { kind: 'yes', value: history });
  }

  /** An order that was not found asks from a while before it was decided on. */
  #isLook({ from }: RequestOf<'read-order-history'>): boolean {
    const { all } = this.engine.ledger;
    return all.some(({ intent }) => intent.decidedAt - HISTORY_SLACK_MS === from);
  }

  #answerWatch({ id, request }: { id: number; request: RequestOf<'read-order-history'> }): void {
    this.historyReads += 1;
    const value = this.history.filter(({ currency }) => currency === request.currency);
    const reply: Reply = { to: 'read-order-history', outcome: { kind: 'yes', value } };
    this.happen({ kind: 'reply', requestId: id, reply });
  }

  #due(until: number): Timer | undefined {
    const [first] = [...this.#timers].sort((a, b) => this.#at(a) - this.#at(b));
    if (first === undefined || this.#at(first) > until) return undefined;
    this.#timers.splice(this.#timers.indexOf(first), 1);
    return first;
  }

  /** On monotonic time. */
  #at({ clock, at }: Timer): number {
    return clock === 'monotonic' ? at : this.monotonic + (at - this.venueTime);
  }

  #setTime(monotonic: number): void {
    this.venueTime += monotonic - this.monotonic;
    this.monotonic = monotonic;
  }
}
