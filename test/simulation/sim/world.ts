import { recordText } from '../../../src/core/record-json.js';
import type { Candle } from '../../../src/core/candle.js';
import type { Command } from '../../../src/core/events.js';
import { namespaceOf } from '../../../src/core/ids.js';
import type { Logger } from '../../../src/core/ports.js';
import type { Bot } from '../../../src/app/bot.js';
import type { LoadedStrategy } from '../../../src/app/seats.js';
import type { ExchangeEvent, ExchangeOrder } from '../../../src/exchange/simulated-exchange.js';
import { answersOf } from '../../../src/sandbox/answers.js';
import { parseFaults } from '../../../src/sandbox/fault-rules.js';
import { STANDARD_LISTINGS } from '../../../src/sandbox/listings.js';
import type { Market } from '../../../src/sandbox/market.js';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.js';
import { createSyntheticMarket } from '../../../src/sandbox/synthetic-market.js';
import { Secret, SecretHolder } from '../../../src/venue/futures-api/secret.js';
import { MemoryFiles } from '../../harness/memory-files.js';
import { MemoryLocks } from '../../harness/memory-locks.js';
import { JournalTap, type JournalLine } from './journal-tap.js';
import type { Plan } from './plan.js';
import type { Boundary, SimProcess } from './process.js';
import { RunTrace } from './run-trace.js';
import { ACCOUNT, configOf, COUNTING, JOURNAL_FILE, TRADED } from './sim-config.js';
import { SimTime } from './sim-time.js';
import { traderOf, type Counted } from './trader.js';
import { clientOrderIdIn, UnderWay } from './under-way.js';
import type { Branch, Check, Finding, Sent, Watcher } from './watch.js';
import { Watchers } from './watchers.js';
import { scaledOf } from '../../harness/scaled.js';

/** A Monday morning, some hours before a funding settlement. */
const START_MS = Date.UTC(2025, 4, 5, 6, 50);
const LISTED: readonly string[] = [...TRADED, 'DOGEUSDT'];
const LISTINGS = STANDARD_LISTINGS.filter(({ instrument }) => LISTED.includes(instrument.symbol));

const LATELY_MS = 60_000;
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

/** Told of a boundary by the process that stands at it. */
export interface Life {
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
  readonly landed = new Map<string, string[]>();
  /** Client order ids of stops and targets that an operation has set. */
  readonly legs = new Set<string>();
  /** Ids in our namespace that no bot of ours made. */
  readonly forged = new Set<string>();
  /** Terms of the fence that was journaled under a client order id. */
  readonly fences = new Map<string, Readonly<Record<string, unknown>>>();
  /** The same, as far as a bot has journaled that it met them. */
  readonly met = new Set<string>();
  /** The same, of which a person has said that they are known: each start is told. */
  readonly adopted = new Set<string>();
  /** Records of durable intents, by client order id. */
  readonly intents = new Map<string, JournalLine>();
  readonly reached = new Set<string>();
  /** Kinds of fault that took place here, not at the sandbox. */
  readonly took = new Set<string>();
  /** What strategies that count are at, as the newest process has it: strategy and symbol → state. */
  readonly counts = new Map<string, Readonly<Counted>>();
  readonly startFailures: string[] = [];
  /** Ours, that a hand has changed at the venue. */
  readonly amendedByHand = new Set<string>();
  /** Between the two looks at the end: nothing is left to do. */
  isStill = false;
  secondsRefused = 0;
  /** Virtual ms until which the venue refuses every key. */
  keyRefusedUntil = Number.NEGATIVE_INFINITY;
  /** The order path gives no answer until then, virtual ms; whether what is sent reaches the venue. */
  outage = { until: Number.NEGATIVE_INFINITY, lands: false };
  commands = 0;
  /** A person who heard no answer says it once more, under the same id. */
  lastOrdered: { readonly command: Command; readonly id: string } | undefined;
  files = new MemoryFiles();
  readonly locks = new MemoryLocks();
  life: Life | undefined;
  lives = 0;
  violation: Violation | undefined;
  /** Venue ms at which strategies fall silent. */
  tradesUntil = Number.POSITIVE_INFINITY;
  phase: 'faults' | 'calm' | 'quiet' | 'over' = 'faults';
  readonly #watchers: Watchers;
  readonly #trace = new RunTrace(() => this.time.monotonicMs());
  readonly #underWay = new UnderWay(() => {
    this.#isDirty = true;
  });
  readonly #positions = new Map<string, { readonly at: number; readonly quantity: number }[]>();
  #isDirty = false;

  constructor(plan: Plan, checks: readonly Check[], branches: readonly Branch[]) {
    this.plan = plan;
    this.market = createSyntheticMarket(plan.seed, LISTINGS);
    const answers = answersOf({ quirks: plan.quirks, assume: plan.assume });
    this.sandbox = createSandbox(
      {
        ...answers,
        faults: [...answers.faults, ...parseFaults(plan.rules)],
        seed: plan.seed,
        clock: plan.factor === 1 ? { kind: 'real' } : { kind: 'fast', factor: plan.factor },
        startMs: START_MS,
        replay: { market: this.market, listings: LISTINGS },
      },
      { clock: this.time, scheduler: this.time },
    );
    this.venue = this.#underWay.counting(this.sandbox);
    this.secret = new SecretHolder(new Secret(this.sandbox.secret));
    this.strategies = this.#strategiesOf();
    this.sandbox.exchange.listen((event) => {
      this.#met(event);
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
    const { life } = this;
    return life?.process.alive === true ? life.bot : undefined;
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

  say(what: string, text: string): void {
    this.#trace.say(what, text);
  }

  // --- what happens --------------------------------------------------------------------------------

  sent(sent: Sent): void {
    this.requests.push(sent);
    if (sent.isPlace) this.#underWay.left(sent.clientOrderId);
    this.#trace.note(`> ${sent.at} ${sent.method} ${sent.path}?${sent.query} ${sent.body}\n`);
    this.say('->', `#${sent.sequence} ${sent.method} ${sent.path}?${sent.query} ${sent.body}`);
    this.#tell('send', (watcher) => watcher.send?.(sent));
  }

  answered(sent: Sent): void {
    const { status, body, sent: left } = sent.answer ?? { body: '', sent: true };
    if (sent.isPlace && (!left || status === UNAUTHORIZED)) this.#underWay.over(sent.clientOrderId);
    this.#trace.note(`< ${this.time.monotonicMs()} ${sent.sequence} ${status} ${body}\n`);
    this.say('<-', `#${sent.sequence} ${status ?? 'no answer'} ${body}`);
    this.#tell('answer', (watcher) => watcher.answer?.(sent));
  }

  heard(symbol: string, candle: Candle): void {
    if (this.phase === 'over') return;
    this.#tell('heard', (watcher) => watcher.heard?.(symbol, candle));
  }

  saw(boundary: Boundary): void {
    if (!('path' in boundary) || boundary.path !== JOURNAL_FILE) return;
    if (boundary.kind === 'append' || boundary.kind === 'written')
      this.journal.append(boundary.bytes);
    if (boundary.kind !== 'synced' && boundary.kind !== 'written') return;
    for (const line of this.journal.synced()) this.#durable(line);
  }

  died(life: Life): void {
    this.say('dead', `process ${life.number}: ${life.process.cause}`);
    this.journal.lost();
    this.#tell('died', (watcher) => watcher.died?.());
  }

  /** Nothing is left to find or to prove: `quiet` would have nothing to say. */
  get isQuiet(): boolean {
    return this.#watchers.of('quiet').every(([, watcher]) => watcher.quiet?.() === undefined);
  }

  quiet(): void {
    this.#tell('quiet', (watcher) => watcher.quiet?.());
    this.isStill = true;
  }

  quietAgain(): void {
    this.isStill = false;
    this.#tell('still', (watcher) => watcher.still?.());
  }

  async over(): Promise<void> {
    for (const [id, { over }] of this.#watchers.of('over')) this.#found(id, await over?.());
  }

  fail(check: string, text: string): void {
    if (this.violation !== undefined) return;
    this.violation = { check, text, at: this.time.monotonicMs() };
    this.say('FAIL', `${check}: ${text}`);
    for (const order of this.bot?.engine.ledger.allActive() ?? []) {
      const { intent: _, ...rest } = order;
      this.say('active', `${order.clientOrderId} ${recordText(rest)}`);
    }
  }

  // --- the god view --------------------------------------------------------------------------------

  get logger(): Logger {
    const line =
      (level: string) =>
      (fields: Readonly<Record<string, unknown>>, message: string): void => {
        const text = `${message} ${recordText(fields)}`;
        this.log.push({ at: this.time.monotonicMs(), level, text });
        this.say(level, text);
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
  neverLands(body: string): void {
    this.#underWay.over(clientOrderIdIn(body));
  }

  /** Whether bytes that place this order are still on their way to the venue. */
  mayLand(clientOrderId: string): boolean {
    return this.#underWay.mayLand(clientOrderId);
  }

  /** Whether the venue had this position within the last minute, virtual time. */
  wasLately(symbol: string, quantity: number): boolean {
    const since = this.time.monotonicMs() - LATELY_MS;
    const changes = this.#positions.get(symbol) ?? [];
    return changes.some(
      (change, index) =>
        change.quantity === quantity && (changes[index + 1]?.at ?? Infinity) >= since,
    );
  }

  // --- parts ---------------------------------------------------------------------------------------

  #strategiesOf(): readonly LoadedStrategy[] {
    const { seed, appetite, keepsState } = this.plan;
    const trader = {
      seed,
      appetite,
      until: () => this.tradesUntil,
      heard: (symbol: string, candle: Candle) => {
        this.heard(symbol, candle);
      },
    };
    return configOf(this.plan).strategies.map((config) => {
      const counts = (symbol: string, state: Readonly<Counted>): void => {
        this.counts.set(`${config.id} ${symbol}`, state);
      };
      const isCounting = keepsState && config.id === COUNTING;
      const definition = traderOf({ ...trader, ...(isCounting && { counts }) });
      return { config, definition, params: {} };
    });
  }

  #met(event: ExchangeEvent): void {
    if (event.kind === 'order' && this.isOurs(event.order.clientOrderId)) {
      const ids = this.landed.get(event.order.clientOrderId) ?? [];
      if (!ids.includes(event.order.orderId)) ids.push(event.order.orderId);
      this.landed.set(event.order.clientOrderId, ids);
      this.say('venue', `${event.order.clientOrderId} ${event.order.status}`);
    }
    if (event.kind === 'position' && event.currency === 'USDT') this.#moved(event.symbol);
    this.#tell('venue', (watcher) => watcher.venue?.(event));
  }

  #moved(symbol: string): void {
    const quantity = scaledOf(this.sandbox.exchange.quantity(symbol, 'USDT'));
    const changes = this.#positions.get(symbol) ?? [{ at: 0, quantity: 0 }];
    changes.push({ at: this.time.monotonicMs(), quantity });
    this.#positions.set(symbol, changes);
    this.say('venue', `${symbol} ${quantity}`);
  }

  #durable(line: JournalLine): void {
    const text = recordText(line);
    this.#trace.note(`j ${text}\n`);
    this.say('journal', text);
    if (line.type === 'intent' && line.clientOrderId !== undefined) {
      this.intents.set(line.clientOrderId, line);
    }
    if (line.type === 'fence' && line.clientOrderId !== undefined) {
      this.fences.set(line.clientOrderId, line['terms'] as Readonly<Record<string, unknown>>);
    }
    if (line.type === 'stray' && line.clientOrderId !== undefined) this.met.add(line.clientOrderId);
    if (line.type === 'operation-attempt') {
      const { clientOrderId } = line['step'] as { readonly clientOrderId?: string };
      if (clientOrderId !== undefined) this.legs.add(clientOrderId);
    }
    this.#tell('record', (watcher) => watcher.record?.(line));
  }

  #settled(): void {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    for (const [id, watcher] of this.#watchers.of('settled')) this.#found(id, watcher.settled?.());
  }

  #tell(hook: keyof Watcher, call: (watcher: Watcher) => Finding): void {
    this.#isDirty = true;
    for (const [id, watcher] of this.#watchers.of(hook)) this.#found(id, call(watcher));
  }

  #found(id: string, finding: Finding): void {
    if (finding !== undefined) this.fail(id, finding);
  }
}
