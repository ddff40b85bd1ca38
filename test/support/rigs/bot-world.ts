import type { Logger, Net } from '../../../src/core/ports.js';
import { negate, textFromFixed } from '../../../src/core/fixed/fixed.js';
import { namespaceOf } from '../../../src/core/ids.js';
import { openFramedLog } from '../../../src/io/log/framed-log.js';
import {
  decodeJournalRecord,
  type JournalRecord,
} from '../../../src/execution/journal/journal-record.js';
import { parseFaults } from '../../../src/sandbox/faults/fault-rules.js';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/sandbox.js';
import { createSandboxNet } from '../../../src/sandbox/sandbox-net.js';
import { Secret, SecretHolder } from '../../../src/venue/futures-api/http/secret.js';
import type { Bot } from '../../../src/live/bot/bot.js';
import { configFromYaml } from '../../../src/config/config.js';
import { loadStrategies } from '../../../src/live/strategies/load-strategies.js';
import { createBot } from '../../../src/live/bot/create-bot.js';
import { FakeProcess, type CrashPoints } from '../fakes/fake-process.js';
import { MemoryFiles } from '../fakes/memory-files.js';
import { MemoryLocks } from '../fakes/memory-locks.js';
import { applyQuirks } from '../builders/quirks.js';
import { seededRandom, VirtualTime } from '../fakes/virtual-time.js';
import { scaledOf } from '../builders/scaled.js';

export const BASE_URL = 'http://127.0.0.1:8787';
export const WS_URL = 'ws://127.0.0.1:8787';
/** Addresses of a real venue: its clock is known by Date headers alone. */
export const LIVE_URLS = {
  baseUrl: 'https://api.venue.example',
  wsUrl: 'wss://api.venue.example',
};
export const STATE_DIR = '/state';
export const START_MS = Date.UTC(2025, 4, 5);

/** As `PUT /sandbox/faults` takes it. */
export interface FaultSpec {
  readonly on: string;
  readonly fault: string;
  readonly probability?: number;
  readonly count?: number;
  readonly delay_ms?: number;
  readonly symbol?: string;
}

export interface BotWorldOptions {
  readonly config: string;
  readonly sandbox?: SandboxOptions;
  readonly faults?: readonly FaultSpec[];
  readonly seed?: number;
  /** Instead of the strategies: a person's session. */
  readonly operator?: NonNullable<Parameters<typeof createBot>[0]['operator']>;
  /** Bytes of the record after which it goes on in another file. */
  readonly recordPartBytes?: number;
  /** Venue and machine time at the start, ms UTC. Default `START_MS`. */
  readonly startMs?: number;
  /** Receives each line of an engine that a person reads. */
  readonly notice?: NonNullable<Parameters<typeof createBot>[0]['notice']>;
}

/** A line that a bot logged. */
export interface LogLine {
  /** Virtual monotonic ms. */
  readonly at: number;
  readonly level: string;
  readonly message: string;
}

/**
 * The bot as `wire.ts` builds it, against the real sandbox, on virtual time, disk and network: one
 * thread, one seed, hours in seconds. It can be stopped dead at any port and started again.
 */
export class BotWorld {
  readonly time: VirtualTime;
  readonly sandbox: Sandbox;
  readonly log: LogLine[] = [];
  /** What its bots hold; `rotate` replaces the sandbox's alone. */
  readonly secret: SecretHolder;
  files = new MemoryFiles();
  readonly #options: BotWorldOptions;
  /** The configuration of the next bot. */
  config: string;
  /** Error of the bot's wall clock, ms. */
  clockErrorMs = 0;
  #starts = 0;

  constructor(options: BotWorldOptions) {
    const { startMs = START_MS } = options;
    this.#options = options;
    this.config = options.config;
    this.time = new VirtualTime(startMs);
    this.sandbox = createSandbox(
      applyQuirks({
        seed: options.seed ?? 1,
        startMs,
        ...(options.faults !== undefined && { faults: parseFaults(options.faults) }),
        ...options.sandbox,
      }),
      { clock: this.time, scheduler: this.time },
    );
    this.secret = new SecretHolder(new Secret(this.sandbox.secret));
    this.sandbox.start();
  }

  /** A bot on the world's disk that may trade. */
  async start(life = new FakeProcess()): Promise<Bot> {
    const bot = await this.build(life);
    await this.time.resolve(bot.start());
    this.sandbox.release();
    await this.time.resolve(bot.readTime());
    return bot;
  }

  /** Starts a bot that will be stopped dead, and runs until it was. */
  async startUntilCrash(crashPoints: CrashPoints, withinMs = 120_000): Promise<FakeProcess> {
    const fakeProcess = new FakeProcess(crashPoints);
    const bot = await this.build(fakeProcess);
    void bot.start();
    this.sandbox.release();
    await this.time.until(() => !fakeProcess.alive, withinMs);
    // What was on its way when it died may still land.
    await this.time.run(50);
    return fakeProcess;
  }

  async build(life = new FakeProcess()): Promise<Bot> {
    const config = configFromYaml('/bot/config.yaml', new TextEncoder().encode(this.config));
    const { operator, recordPartBytes, notice } = this.#options;
    const strategies = operator === undefined ? await loadStrategies(config) : [];
    this.#starts += 1;
    const pid = 1_000 + this.#starts;
    const scheduler = life.scheduler(this.time);
    const isReal = config.mode === 'live' || config.mode === 'observe';
    const urls = isReal ? LIVE_URLS : { baseUrl: BASE_URL, wsUrl: WS_URL };
    const sandboxNet = createSandboxNet(this.sandbox, { ...urls, scheduler: this.time });
    const net = isReal ? this.#dated(sandboxNet) : sandboxNet;
    const created = createBot({
      config,
      strategies,
      ...(operator !== undefined && { operator }),
      ...urls,
      secret: this.secret,
      stateDir: STATE_DIR,
      ...(recordPartBytes !== undefined && { recordPartBytes }),
      ...(notice !== undefined && { notice }),
      logger: this.#logger(),
      ports: {
        clock: {
          monotonicMs: () => this.time.monotonicMs(),
          utcMs: () => this.time.utcMs() + this.clockErrorMs,
        },
        scheduler,
        random: seededRandom(this.#options.seed ?? 1),
        files: life.files(this.files),
        net: life.net(net),
        // Each start is another process; the one before it is gone.
        facts: {
          pid,
          startTimeOf: (requestedPid) =>
            Promise.resolve(requestedPid === pid ? String(pid) : undefined),
          bootId: () => Promise.resolve('boot'),
          locks: new MemoryLocks().of(),
        },
      },
    });
    return this.time.resolve(created);
  }

  async stop(
    bot: Bot,
    policy: 'keep' | 'cancel-entries' | 'flatten' = 'cancel-entries',
  ): Promise<void> {
    await this.time.resolve(bot.stop(policy));
  }

  /** What is in the journal now, read as a start would. */
  async journal(): Promise<readonly JournalRecord[]> {
    const log = await openFramedLog(this.files.copy(), STATE_DIR, 'journal');
    return log.read().map(decodeJournalRecord);
  }

  /** Faults from now on. */
  async setFaults(rules: readonly FaultSpec[]): Promise<void> {
    await this.time.resolve(
      this.sandbox.handle({
        method: 'PUT',
        path: '/sandbox/faults',
        query: '',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(rules),
      }),
    );
  }

  /** Holds each symbol at its last price, so that nothing that rests fills any more. */
  async holdPrices(symbols: readonly string[]): Promise<void> {
    for (const symbol of symbols) {
      const last = this.sandbox.exchange.prices(symbol)?.last;
      if (last === undefined) throw new Error(`${symbol} has no last price`);
      const response = await this.time.resolve(
        this.sandbox.handle({
          method: 'POST',
          path: '/sandbox/price',
          query: '',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ symbol, price: textFromFixed(last) }),
        }),
      );
      if (response === 'reset' || response.status !== 200)
        throw new Error(`${symbol} is not held: ${JSON.stringify(response)}`);
    }
  }

  /** Ends the key at the venue; another one is valid from now on. */
  async rotate(secret: string): Promise<void> {
    await this.time.resolve(
      this.sandbox.handle({
        method: 'POST',
        path: '/sandbox/secret',
        query: '',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ secret }),
      }),
    );
  }

  /** Ids of ours that the venue accepted, each as often as it has an order with it. */
  ownOrders(account = 'demo') {
    const prefix = `${namespaceOf(account)}-`;
    return this.sandbox.exchange
      .allOrders()
      .filter((order) => order.clientOrderId?.startsWith(prefix) === true);
  }

  /** Signed quantity that the venue holds. */
  venuePosition(symbol: string): number {
    const row = this.sandbox.exchange.positions('USDT').find((each) => each.symbol === symbol);
    return row === undefined
      ? 0
      : row.side === 'long'
        ? scaledOf(row.quantity)
        : scaledOf(negate(row.quantity));
  }

  /** Its answers have the venue's time, as those of a real server. */
  #dated(net: Net): Net {
    return {
      connect: (url, handlers) => net.connect(url, handlers),
      request: async (request) => {
        const response = await net.request(request);
        const date = new Date(this.time.utcMs()).toUTCString();
        return { ...response, headers: { ...response.headers, date } };
      },
    };
  }

  #logger(): Logger {
    const line =
      (level: string) =>
      (fields: Readonly<Record<string, unknown>>, message: string): void => {
        const at = this.time.monotonicMs();
        this.log.push({ at, level, message: `${message} ${JSON.stringify(fields)}` });
      };
    return {
      debug: line('debug'),
      info: line('info'),
      warn: line('warn'),
      error: line('error'),
    };
  }
}
