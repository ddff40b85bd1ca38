import { recordText } from '../../../src/core/record-json.js';
import type { Candle } from '../../../src/core/candle.js';
import type { OperatorCommand } from '../../../src/core/events.js';
import { namespaceOf } from '../../../src/core/ids.js';
import type { Logger } from '../../../src/core/ports.js';
import type { Bot } from '../../../src/live/bot/bot.js';
import type { KillLevel } from '../../../src/risk/mode.js';
import type { LoadedStrategy } from '../../../src/live/strategies/strategy-instances.js';
import type { ExchangeEvent, ExchangeOrder } from '../../../src/exchange/simulated-exchange.js';
import { resolveBehavior } from '../../../src/sandbox/behavior/behavior-choices.js';
import { parseFaults } from '../../../src/sandbox/faults/fault-rules.js';
import { STANDARD_LISTINGS } from '../../../src/market/synthetic/listings.js';
import type { Market } from '../../../src/market/synthetic/market.js';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.js';
import { createSyntheticMarket } from '../../../src/market/synthetic/synthetic-market.js';
import { Secret, SecretHolder } from '../../../src/venue/futures-api/http/secret.js';
import { MemoryFiles } from '../../support/fakes/memory-files.js';
import { MemoryLocks } from '../../support/fakes/memory-locks.js';
import { JournalTap, type JournalLine } from './journal-tap.js';
import type { Plan } from './plan.js';
import type { Boundary, SimProcess } from './process.js';
import { RunTrace } from './run-trace.js';
import { ACCOUNT, configOf, COUNTING, JOURNAL_FILE, TRADED } from './sim-config.js';
import { SimTime } from './sim-time.js';
import { hostileTraderOf } from './hostile-trader.js';
import { traderOf, type Counted } from './trader.js';
import { clientOrderIdIn, InFlightOrders } from './in-flight-orders.js';
import type { Branch, Check, Finding, Sent, Watcher } from './watcher.js';
import { Watchers } from './watchers.js';
import { scaledOf } from '../../support/builders/scaled.js';

/** A Monday morning, some hours before a funding settlement. */
const START_MS = Date.UTC(2025, 4, 5, 6, 50);
const LISTED: readonly string[] = [...TRADED, 'DOGEUSDT'];
const LISTINGS = STANDARD_LISTINGS.filter(({ instrument }) => LISTED.includes(instrument.symbol));

const RECENT_MS = 60_000;
/** Of a key that is refused on the way: the venue never gets to see the request. */
const UNAUTHORIZED = 401;

export interface Violation {
  readonly check: string;
  readonly text: string;
  /** Virtual ms. */
  readonly at: number;
}

export interface LogLine {
  readonly at: number;
  readonly level: string;
  readonly text: string;
}

export const KILL_ID = 'kill';

/** What a person has said to a process. */
export interface Kill {
  /** Virtual ms. */
  readonly at: number;
  readonly level: KillLevel;
  readonly process: number;
  /** Its flatten, by the journal: it goes on in the next process. */
  readonly flatten?: unknown;
}

/** Told of a boundary by the process that stands at it. */
export interface BotRun {
  readonly number: number;
  readonly process: SimProcess;
  bot: Bot | undefined;
  startedAt: number;
}

/**
 * The bot as `wire.ts` builds it, the real exchange behind the real wire format, one simulated disk,
 * network and clock, one thread, one seed; and everybody who watches.
 */
export class SimWorld {
  readonly plan: Plan;
  readonly time = new SimTime(START_MS);
  readonly market: Market;
  readonly sandbox: Sandbox;
  /** The same, for those who send: it counts what may still land. */
  readonly venue: Sandbox;
  readonly secret: SecretHolder;
  readonly namespace = namespaceOf(ACCOUNT);
  readonly strategies: readonly LoadedStrategy[];
  readonly requests: Sent[] = [];
  readonly journal = new JournalTap();
  readonly log: LogLine[] = [];
  /** Client order id → venue orders that have it, our namespace only, in order of acceptance. */
  readonly acceptedOrders = new Map<string, string[]>();
  /** Client order ids of stops and targets that an operation has set. */
  readonly legs = new Set<string>();
  /** Ids in our namespace that no bot of ours made. */
  readonly forged = new Set<string>();
  /** Terms of the fence that was journaled under a client order id. */
  readonly fences = new Map<string, Readonly<Record<string, unknown>>>();
  /** The same, as far as a bot has journaled that it met them. */
  readonly seenExternalIds = new Set<string>();
  /** The same, of which a person has said that they are known: each start is told. */
  readonly adoptedIds = new Set<string>();
  /** Records of durable intents, by client order id. */
  readonly intents = new Map<string, JournalLine>();
  readonly reached = new Set<string>();
  /** Kinds of fault that took place here, not at the sandbox. */
  readonly simulatedFaults = new Set<string>();
  /** What strategies that count are at, as the newest process has it: strategy and symbol → state. */
  readonly counts = new Map<string, Readonly<Counted>>();
  readonly startFailures: string[] = [];
  /** Ours, that a hand has changed at the venue. */
  readonly amendedExternally = new Set<string>();
  /** Between the two looks at the end: nothing is left to do. */
  isIdle = false;
  secondDaemonsRefused = 0;
  /** Virtual ms until which the venue refuses every key. */
  keyRefusedUntil = Number.NEGATIVE_INFINITY;
  /** The order path gives no answer until then, virtual ms; whether what is sent reaches the venue. */
  outage = { until: Number.NEGATIVE_INFINITY, lands: false };
  commands = 0;
  kill: Kill | undefined;
  /** A person who heard no answer says it once more, under the same id. */
  lastOrdered: { readonly command: OperatorCommand; readonly id: string } | undefined;
  files = new MemoryFiles();
  readonly locks = new MemoryLocks();
  botRun: BotRun | undefined;
  runCount = 0;
  violation: Violation | undefined;
  /** Venue ms at which strategies fall silent. */
  tradesUntil = Number.POSITIVE_INFINITY;
  phase: 'faults' | 'calm' | 'quiet' | 'over' = 'faults';
  readonly #watchers: Watchers;
  readonly #trace = new RunTrace(() => this.time.monotonicMs());
  readonly #inFlightOrders = new InFlightOrders(() => {
    this.#isDirty = true;
  });
  readonly #positions = new Map<string, { readonly at: number; readonly quantity: number }[]>();
  #isDirty = false;

  constructor(plan: Plan, checks: readonly Check[], branches: readonly Branch[]) {
    this.plan = plan;
    this.market = createSyntheticMarket(plan.seed, LISTINGS);
    const choices = resolveBehavior({ quirks: plan.quirks, assume: plan.assume });
    this.sandbox = createSandbox(
      {
        ...choices,
        faults: [...choices.faults, ...parseFaults(plan.rules)],
        seed: plan.seed,
        clock: plan.factor === 1 ? { kind: 'real' } : { kind: 'fast', factor: plan.factor },
        startMs: START_MS,
        replay: { market: this.market, listings: LISTINGS },
      },
      { clock: this.time, scheduler: this.time },
    );
    this.venue = this.#inFlightOrders.trackedSandbox(this.sandbox);
    this.secret = new SecretHolder(new Secret(this.sandbox.secret));
    this.strategies = this.#strategiesOf();
    this.sandbox.exchange.listen((event) => {
      this.#onExchangeEvent(event);
    });
    this.#watchers = new Watchers([
      ...checks.map(({ id, watch }) => [id, watch(this)] as const),
      ...branches.map(
        ({ name, watch }) => [name, watch(this, () => this.reached.add(name))] as const,
      ),
    ]);
    this.time.afterEach = () => {
      this.#settled();
    };
    this.sandbox.start();
  }

  get bot(): Bot | undefined {
    const { botRun } = this;
    return botRun?.process.alive === true ? botRun.bot : undefined;
  }

  /** Faults that are not the sandbox's: whether this one may strike now. */
  isOn(kind: string): boolean {
    return this.phase === 'faults' && this.plan.kinds.has(kind);
  }

  get isCut(): boolean {
    return this.phase === 'faults' && this.time.monotonicMs() < this.outage.until;
  }

  get isKeyRefused(): boolean {
    return this.phase === 'faults' && this.time.monotonicMs() < this.keyRefusedUntil;
  }

  /** Every request, answer and durable record so far, in order. */
  get hash(): string {
    return this.#trace.hash;
  }

  trace(line: (text: string) => void): void {
    this.#trace.to(line);
  }

  note(what: string, text: string): void {
    this.#trace.trace(what, text);
  }

  // --- what happens --------------------------------------------------------------------------------

  sent(sent: Sent): void {
    this.requests.push(sent);
    if (sent.isPlace) this.#inFlightOrders.onSent(sent.clientOrderId);
    this.#trace.note(`> ${sent.at} ${sent.method} ${sent.path}?${sent.query} ${sent.body}\n`);
    this.note('->', `#${sent.sequence} ${sent.method} ${sent.path}?${sent.query} ${sent.body}`);
    this.#notifyWatchers('onSend', (watcher) => watcher.onSend?.(sent));
  }

  answered(sent: Sent): void {
    const { status, body, sent: left } = sent.response ?? { body: '', sent: true };
    if (sent.isPlace && (!left || status === UNAUTHORIZED))
      this.#inFlightOrders.onResolved(sent.clientOrderId);
    this.#trace.note(`< ${this.time.monotonicMs()} ${sent.sequence} ${status} ${body}\n`);
    this.note('<-', `#${sent.sequence} ${status ?? 'no answer'} ${body}`);
    this.#notifyWatchers('onResponse', (watcher) => watcher.onResponse?.(sent));
  }

  onCandle(symbol: string, candle: Candle): void {
    if (this.phase === 'over') return;
    this.#notifyWatchers('onCandle', (watcher) => watcher.onCandle?.(symbol, candle));
  }

  onBoundary(boundary: Boundary): void {
    if (!('path' in boundary) || boundary.path !== JOURNAL_FILE) return;
    if (boundary.kind === 'append' || boundary.kind === 'written')
      this.journal.append(boundary.bytes);
    if (boundary.kind !== 'synced' && boundary.kind !== 'written') return;
    for (const line of this.journal.synced()) this.#durable(line);
  }

  onProcessEnd(botRun: BotRun): void {
    this.note('dead', `process ${botRun.number}: ${botRun.process.cause}`);
    this.journal.lost();
    this.#notifyWatchers('onProcessEnd', (watcher) => watcher.onProcessEnd?.());
  }

  /** Nothing is left to find or to prove: `quiet` would have nothing to say. */
  get isQuiet(): boolean {
    return this.#watchers.of('onQuiet').every(([, watcher]) => watcher.onQuiet?.() === undefined);
  }

  quiet(): void {
    this.#notifyWatchers('onQuiet', (watcher) => watcher.onQuiet?.());
    this.isIdle = true;
  }

  checkIdle(): void {
    this.isIdle = false;
    this.#notifyWatchers('onIdle', (watcher) => watcher.onIdle?.());
  }

  async over(): Promise<void> {
    for (const [id, { onRunEnd }] of this.#watchers.of('onRunEnd'))
      this.#reportFinding(id, await onRunEnd?.());
  }

  fail(check: string, text: string): void {
    if (this.violation !== undefined) return;
    this.violation = { check, text, at: this.time.monotonicMs() };
    this.note('FAIL', `${check}: ${text}`);
    for (const order of this.bot?.engine.ledger.allOpenOrders() ?? []) {
      const { intent: _, ...rest } = order;
      this.note('active', `${order.clientOrderId} ${recordText(rest)}`);
    }
  }

  // --- the god view --------------------------------------------------------------------------------

  get logger(): Logger {
    const line =
      (level: string) =>
      (fields: Readonly<Record<string, unknown>>, message: string): void => {
        const text = `${message} ${recordText(fields)}`;
        this.log.push({ at: this.time.monotonicMs(), level, text });
        this.note(level, text);
      };
    return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  }

  order(clientOrderId: string): ExchangeOrder | undefined {
    return this.sandbox.exchange.order({ clientOrderId });
  }

  /** A client order id of this account, of an order that a bot made. Stops and targets aside. */
  isOurs(clientOrderId: string | undefined): clientOrderId is string {
    if (clientOrderId?.startsWith(`${this.namespace}-`) !== true) return false;
    return !this.forged.has(clientOrderId) && !this.legs.has(clientOrderId);
  }

  /** Whether what left is the fence that the journal declares under its id, and not the order. */
  isFence({ isPlace, clientOrderId = '', body }: Sent): boolean {
    const terms = isPlace ? this.fences.get(clientOrderId) : undefined;
    if (terms === undefined) return false;
    const { quantity, order_price } = JSON.parse(body) as Readonly<Record<string, unknown>>;
    return quantity === terms['quantity'] && order_price === terms['price'];
  }

  /** Bytes that place an order were lost on their way. */
  onNeverLands(body: string): void {
    this.#inFlightOrders.onResolved(clientOrderIdIn(body));
  }

  /** Whether bytes that place this order are still on their way to the venue. */
  mayLand(clientOrderId: string): boolean {
    return this.#inFlightOrders.mayLand(clientOrderId);
  }

  /** Whether the venue had this position within the last minute, virtual time. */
  wasRecently(symbol: string, quantity: number): boolean {
    const since = this.time.monotonicMs() - RECENT_MS;
    const changes = this.#positions.get(symbol) ?? [];
    return changes.some(
      (change, index) =>
        change.quantity === quantity && (changes[index + 1]?.at ?? Infinity) >= since,
    );
  }

  // --- parts ---------------------------------------------------------------------------------------

  #strategiesOf(): readonly LoadedStrategy[] {
    const { seed, activity, persistsState, hostility } = this.plan;
    const trader = {
      seed,
      activity,
      until: () => this.tradesUntil,
      onCandleSeen: (symbol: string, candle: Candle) => {
        this.onCandle(symbol, candle);
      },
    };
    return configOf(this.plan).strategies.map((config) => {
      const counts = (symbol: string, state: Readonly<Counted>): void => {
        this.counts.set(`${config.id} ${symbol}`, state);
      };
      const isCounting = persistsState && config.id === COUNTING;
      const definition =
        hostility === undefined || isCounting
          ? traderOf({ ...trader, ...(isCounting && { counts }) })
          : hostileTraderOf(hostility.natureOf(config.id), trader);
      return { config, definition, params: {} };
    });
  }

  #onExchangeEvent(event: ExchangeEvent): void {
    if (event.kind === 'order' && this.isOurs(event.order.clientOrderId)) {
      const ids = this.acceptedOrders.get(event.order.clientOrderId) ?? [];
      if (!ids.includes(event.order.orderId)) ids.push(event.order.orderId);
      this.acceptedOrders.set(event.order.clientOrderId, ids);
      this.note('venue', `${event.order.clientOrderId} ${event.order.status}`);
    }
    if (event.kind === 'position' && event.currency === 'USDT') this.#moved(event.symbol);
    this.#notifyWatchers('onVenueEvent', (watcher) => watcher.onVenueEvent?.(event));
  }

  #moved(symbol: string): void {
    const quantity = scaledOf(this.sandbox.exchange.quantity(symbol, 'USDT'));
    const changes = this.#positions.get(symbol) ?? [{ at: 0, quantity: 0 }];
    changes.push({ at: this.time.monotonicMs(), quantity });
    this.#positions.set(symbol, changes);
    this.note('venue', `${symbol} ${quantity}`);
  }

  #durable(line: JournalLine): void {
    const text = recordText(line);
    this.#trace.note(`j ${text}\n`);
    this.note('journal', text);
    if (line.type === 'intent' && line.clientOrderId !== undefined) {
      this.intents.set(line.clientOrderId, line);
    }
    if (line.type === 'fence' && line.clientOrderId !== undefined) {
      this.fences.set(line.clientOrderId, line['terms'] as Readonly<Record<string, unknown>>);
    }
    if (line.type === 'stray' && line.clientOrderId !== undefined)
      this.seenExternalIds.add(line.clientOrderId);
    if (line.type === 'operation-attempt') {
      const { clientOrderId } = line['step'] as { readonly clientOrderId?: string };
      if (clientOrderId !== undefined) this.legs.add(clientOrderId);
    }
    this.#notifyWatchers('onRecord', (watcher) => watcher.onRecord?.(line));
  }

  #settled(): void {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    for (const [id, watcher] of this.#watchers.of('onSettled'))
      this.#reportFinding(id, watcher.onSettled?.());
  }

  #notifyWatchers(hook: keyof Watcher, call: (watcher: Watcher) => Finding): void {
    this.#isDirty = true;
    for (const [id, watcher] of this.#watchers.of(hook)) this.#reportFinding(id, call(watcher));
  }

  #reportFinding(id: string, finding: Finding): void {
    if (finding !== undefined) this.fail(id, finding);
  }
}
