import type { AccountSnapshot, PositionReport } from '../../../src/core/account.js';
import type { Candle, CandlePrice } from '../../../src/core/candle.js';
import type { EngineEventBody } from '../../../src/core/events.js';
import { textFromFixed, type Quantity, type Ratio } from '../../../src/core/fixed/fixed.js';
import type { Interval } from '../../../src/core/interval.js';
import type { OrderReport } from '../../../src/core/order.js';
import type {
  Reply,
  ReplyTo,
  RequestKind,
  RequestOf,
  VenueRequest,
} from '../../../src/core/request.js';
import { Engine, type EngineOptions } from '../../../src/engine/engine.js';
import type { EffectSink, Note, TimerClock } from '../../../src/execution/effects.js';
import type { JournalRecord } from '../../../src/execution/journal/journal-record.js';
import { HISTORY_SLACK_MS } from '../../../src/execution/constants.js';
import { createGate } from '../../../src/risk/gate.js';
import { DEFAULT_LIMITS } from '../../../src/risk/limits/risk-limits.js';
import type { MarketStream } from '../../../src/strategy/contract/definition.js';
import type { ExternalChangeSource } from '../../../src/strategy/contract/strategy-port.js';
import type { CandleReceiver, StrategyHost } from '../../../src/strategy/host/strategy-host.js';
import type { StrategyPort, SubmitResult } from '../../../src/strategy/contract/strategy-port.js';
import { intentOf, BTC, d, MONOTONIC, VENUE_TIME, type IntentCase } from '../builders/risk-case.js';

/** A strategy that does nothing, and remembers its events. */
export class SpyHost implements StrategyHost {
  readonly id: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  readonly warmupCandles = 0;
  readonly intervals: readonly Interval[];
  readonly wantsSyncedCandles: boolean;
  readonly streams: readonly MarketStream[];
  readonly state = 'running';
  readonly heldTargets = [];
  readonly errors = [];
  readonly counts = {} as StrategyHost['counts'];
  readonly world: StrategyPort;
  /** `start`, `candle 5m 1746403200000 live`, `fill buy`, … */
  readonly eventLog: string[] = [];
  /** Of each move that it heard of. */
  readonly moveSources: string[] = [];
  /** Runs after each event. */
  onEvent: ((eventText: string) => void) | undefined;

  constructor(
    id: string,
    symbols: readonly string[],
    interval: Interval,
    world: StrategyPort,
    streams: readonly MarketStream[] = [],
    more: { readonly intervals?: readonly Interval[]; readonly rounds?: boolean } = {},
  ) {
    this.id = id;
    this.intervals = more.intervals ?? [];
    this.wantsSyncedCandles = more.rounds ?? false;
    this.streams = streams;
    this.symbols = symbols;
    this.interval = interval;
    this.world = world;
  }

  get needs() {
    return [{ interval: this.interval, count: 0 }];
  }
  start(): void {
    this.#recordEvent('start');
  }
  candlesOf(symbol: string): CandleReceiver {
    return {
      onCandle: (interval, columns, index, live) => {
        const openTime = columns.openTime[index] as number;
        this.#recordEvent(`candle ${symbol} ${interval} ${openTime}${live ? ' live' : ''}`);
      },
    };
  }
  setFailureLocation(): void {
    this.#recordEvent('located');
  }
  onSyncedCandles(closedAt: number, live: boolean): void {
    this.#recordEvent(`round ${closedAt}${live ? ' live' : ''}`);
  }
  onRevision(symbol: string, { openTime, close }: Candle): void {
    this.#recordEvent(`revision ${symbol} ${openTime} ${close}`);
  }
  onSecond(symbol: string, price: CandlePrice, { openTime, close }: Candle): void {
    this.#recordEvent(`second ${symbol} ${price} ${openTime} ${close}`);
  }
  onMarkCandle(symbol: string, { openTime, close }: Candle): void {
    this.#recordEvent(`mark-candle ${symbol} ${openTime} ${close}`);
  }
  onFunding(symbol: string, { rate }: Parameters<StrategyHost['onFunding']>[1]): void {
    this.#recordEvent(`funding ${symbol} ${rate}`);
  }
  onTicker(symbol: string, last: number, mark?: number): void {
    this.#recordEvent(`ticker ${symbol} ${last} ${mark ?? 'no mark'}`);
  }
  onFill({ side, quantity, price }: Parameters<StrategyHost['onFill']>[0]): void {
    this.#recordEvent(`fill ${side} ${quantity} ${price}`);
  }
  onOrderEnded({ key, end }: Parameters<StrategyHost['onOrderEnded']>[0]): void {
    this.#recordEvent(`ended ${key} ${end}`);
  }
  onPositionChanged(symbol: string, by: ExternalChangeSource): void {
    this.moveSources.push(by);
    this.#recordEvent(`moved ${symbol}`);
  }
  onPositionChangedWhileDown(symbol: string, before: Quantity): void {
    this.#recordEvent(`moved while down ${symbol} from ${textFromFixed(before)}`);
  }
  resume(symbol: string): void {
    this.#recordEvent(`resume ${symbol}`);
  }
  onTimer(key: string): void {
    this.#recordEvent(`timer ${key}`);
  }
  onWorkerFailed(reason: string): void {
    this.#recordEvent(`lost ${reason}`);
  }
  stop(): void {
    this.#recordEvent('stop');
  }

  #recordEvent(eventText: string): void {
    this.eventLog.push(eventText);
    this.onEvent?.(eventText);
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
  readonly #permits: number[] = [];
  readonly #monitorReads: { id: number; request: RequestOf<'read-order-history'> }[] = [];
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
      strategies: hosts.map(({ id, interval, symbols = ['BTCUSDT'], streams, ...more }) => ({
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
    rig.startEngine();
    rig.tick(60_000);
    return rig;
  }

  get host(): SpyHost {
    const [host] = this.hosts;
    if (host === undefined) throw new Error('there is a host');
    return host;
  }

  /** The instruments and the leverage are known, and nothing of the account. */
  begin(): void {
    this.handle({ kind: 'instruments', instruments: [BTC] });
    while (this.pendingRequest('read-leverage') !== undefined)
      this.answer('read-leverage', { kind: 'yes', value: d('2') });
  }

  startEngine(positions: readonly PositionReport[] = []): void {
    this.begin();
    this.poll(positions);
    this.pass(300);
    this.answer('read-positions', { kind: 'yes', value: positions });
  }

  /** As `startEngine`, with positions that are ours already. */
  startEngineWithAdopted(positions: readonly PositionReport[]): void {
    for (const { symbol } of positions) {
      const command = { kind: 'adopt', what: symbol } as const;
      this.handle({ kind: 'command', commandId: `adopt-${symbol}`, command });
    }
    this.startEngine(positions);
    this.records.length = 0;
  }

  // --- sink ----------------------------------------------------------------------------------------

  journal(record: JournalRecord): void {
    this.records.push(record);
  }
  requestPermit(requestId: number): void {
    this.#permits.push(requestId);
  }
  send(id: number, request: VenueRequest): void {
    const isMonitorRead = request.kind === 'read-order-history' && !this.#isOrderQuery(request);
    if (isMonitorRead) this.#monitorReads.push({ id, request });
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
  handle(body: EngineEventBody): void {
    this.engine.handle({
      ...body,
      venueTime: this.venueTime,
      monotonic: this.monotonic,
    });
    for (let id = this.#permits.shift(); id !== undefined; id = this.#permits.shift())
      this.handle({ kind: 'slot', requestId: id });
    for (
      let sentRequest = this.#monitorReads.shift();
      sentRequest !== undefined;
      sentRequest = this.#monitorReads.shift()
    )
      this.#answerMonitorRead(sentRequest);
  }

  /** Lets both times pass, timer by timer. */
  pass(ms: number): void {
    const until = this.monotonic + ms;
    for (let due = this.#due(until); due !== undefined; due = this.#due(until)) {
      this.#setTime(Math.max(this.#at(due), this.monotonic));
      this.handle({ kind: 'timer', key: due.key });
    }
    this.#setTime(until);
  }

  tick(last: number, mark?: number): void {
    const row = { symbol: 'BTCUSDT', last, ...(mark !== undefined && { mark }) };
    this.handle({ kind: 'tickers', rows: [row] });
  }

  candle(openTime: number, close = 60_000, live = true): void {
    const candle: Candle = { openTime, open: close, high: close, low: close, close, volume: 1 };
    const event = { symbol: 'BTCUSDT', interval: '1m', candles: [candle], live } as const;
    this.handle({ kind: 'candles', ...event });
  }

  snapshot(snapshot: AccountSnapshot): void {
    this.handle({ kind: 'account', snapshot });
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
    const intent = { ...intentOf(of), validUntil: this.venueTime + validMs };
    this.engine.setTime(this.venueTime, this.monotonic);
    const verdict = this.host.world.submit(intent);
    for (let id = this.#permits.shift(); id !== undefined; id = this.#permits.shift())
      this.handle({ kind: 'slot', requestId: id });
    return verdict;
  }

  pendingRequest<K extends RequestKind>(kind: K): RequestOf<K> | undefined {
    return this.sent.map(({ request }) => request).find((request) => request.kind === kind) as
      RequestOf<K> | undefined;
  }

  /** Answers the oldest request of its kind. */
  answer<K extends RequestKind>(to: K, outcome: ReplyTo<K>): void {
    const at = this.sent.findIndex(({ request }) => request.kind === to);
    const [sentRequest] = this.sent.splice(at, 1);
    if (at < 0 || sentRequest === undefined) throw new Error(`no ${to} waits for an answer`);
    this.handle({ kind: 'reply', requestId: sentRequest.id, reply: { to, outcome } as Reply });
  }

  /** Passes time until a lookup waits, and answers it. */
  answerOrderQuery(outcome: ReplyTo<'find-order'>): void {
    for (let ms = 0; this.pendingRequest('find-order') === undefined && ms < 120_000; ms += 50)
      this.pass(50);
    this.answer('find-order', outcome);
  }

  /** The next lookup finds nothing, and the search of history after it has these rows. */
  answerOrderNotFound(history: readonly OrderReport[] = []): void {
    this.answerOrderQuery({
      kind: 'no',
      code: 'order-not-found',
      text: 'order not found',
      status: 404,
    });
    this.answer('read-order-history', { kind: 'yes', value: history });
  }

  /** An order that was not found asks from a while before it was decided on. */
  #isOrderQuery({ from }: RequestOf<'read-order-history'>): boolean {
    const { all } = this.engine.ledger;
    return all.some(({ intent }) => intent.decidedAt - HISTORY_SLACK_MS === from);
  }

  #answerMonitorRead({
    id,
    request,
  }: {
    id: number;
    request: RequestOf<'read-order-history'>;
  }): void {
    this.historyReads += 1;
    const value = this.history.filter(({ currency }) => currency === request.currency);
    const reply: Reply = { to: 'read-order-history', outcome: { kind: 'yes', value } };
    this.handle({ kind: 'reply', requestId: id, reply });
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
