import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import { absolute, numberFromFixed } from '../../../src/core/fixed/fixed.js';
import { isTerminalStatus } from '../../../src/core/order.js';
import type { Bot } from '../../../src/live/bot/bot.js';
import { HinderedProcess } from '../../support/fakes/hindered-process.js';
import { BotWorld, type LogLine } from '../../support/rigs/bot-world.js';
import { replayOf } from '../../support/rigs/replay-world.js';

// Hours of virtual time take seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

const HOLDER = fileURLToPath(new URL('../../fixtures/constant-target.ts', import.meta.url));
const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'] as const;
/** `max_position_notional` of the configuration below, with a margin for the price of a fill. */
const MAX_NOTIONAL = 300 * 1.01;

export interface DisasterOptions {
  readonly symbols?: number;
  /** Instead of one that buys once and holds. */
  readonly strategy?: string;
  readonly params?: string;
  /** USDT of each entry. */
  readonly notional?: number;
  /** Further keys of the configuration. */
  readonly more?: string;
  /** Venue time per real time. */
  readonly speed?: number;
}

/** A bot that holds a guarded position in each of its symbols, and what happens to it. */
export class DisasterWorld {
  readonly world: BotWorld;
  readonly process = new HinderedProcess();
  readonly symbols: readonly string[];
  bot!: Bot;

  private constructor(options: DisasterOptions) {
    const { symbols = 1, strategy = HOLDER, params, notional = 200, more = '' } = options;
    this.symbols = SYMBOLS.slice(0, symbols);
    const strategies = this.symbols.map(
      (symbol) => `  - id: hold-${symbol.toLowerCase()}
    use: '${strategy}'
    symbols: [${symbol}]
    leverage: 2
    size: { notional: '${notional}' }
    protect: { stop_loss_pct: 5 }${params === undefined ? '' : `\n    params: ${params}`}`,
    );
    const config = `
mode: sandbox
account: demo
venue: { base_url: 'http://127.0.0.1:8787', ws_url: 'ws://127.0.0.1:8787' }
state_dir: /state
${more}
strategies:
${strategies.join('\n')}
risk:
  preset: standard
  symbols_allow: [${this.symbols.join(', ')}]
  max_position_notional: { usdt: '300', pct_equity: 90 }
`;
    const { speed } = options;
    const clock =
      speed === undefined
        ? ({ kind: 'real' } as const)
        : ({ kind: 'fast', factor: speed } as const);
    this.world = new BotWorld({ config, sandbox: { clock, held: true } });
  }

  /** A world without a position yet. */
  static async started(options: DisasterOptions = {}): Promise<DisasterWorld> {
    const disaster = new DisasterWorld(options);
    disaster.bot = await disaster.world.start(disaster.process);
    return disaster;
  }

  /** A world whose bot holds a position with its stop in each symbol. */
  static async holding(options: DisasterOptions = {}): Promise<DisasterWorld> {
    const disaster = await DisasterWorld.started(options);
    await disaster.until(() => disaster.symbols.every((each) => disaster.hasStop(each)), 180_000);
    await disaster.run(5_000);
    return disaster;
  }

  run(ms: number): Promise<void> {
    return this.world.time.run(ms);
  }

  until(holds: () => boolean, withinMs: number): Promise<void> {
    return this.world.time.until(holds, withinMs);
  }

  get now(): number {
    return this.world.time.monotonicMs();
  }

  get mode() {
    return this.bot.engine.mode;
  }

  position(symbol: string): number {
    return this.world.venuePosition(symbol);
  }

  /** The venue holds a position with a live stop, or none. */
  hasStop(symbol: string): boolean {
    const { exchange } = this.world.sandbox;
    const row = exchange.positions('USDT').find((each) => each.symbol === symbol);
    if (row?.stopLoss?.orderId === undefined) return false;
    const order = exchange.order({ orderId: row.stopLoss.orderId });
    return order !== undefined && !isTerminalStatus(order.status);
  }

  /** Every position at the venue has its stop. */
  get isGuarded(): boolean {
    return this.symbols.every((symbol) => this.position(symbol) === 0 || this.hasStop(symbol));
  }

  /** Orders of the bot that opened or added. */
  get entries(): number {
    return this.world.ownOrders().filter(({ reduceOnly }) => !reduceOnly).length;
  }

  price(symbol: string): number {
    const last = this.world.sandbox.exchange.prices(symbol)?.last;
    if (last === undefined) throw new Error(`${symbol} has a price`);
    return numberFromFixed(last);
  }

  setPrice(symbol: string, price: number): Promise<void> {
    return this.control('price', { symbol, price: price.toFixed(2) });
  }

  /** A control path of the sandbox. */
  async control(path: string, body: object): Promise<void> {
    const answer = await this.request('POST', `/sandbox/${path}`, body);
    if (!answer.ok) throw new Error(`${path}: ${answer.text}`);
  }

  /** A request to the venue with the key of the account, as a person's app sends it. */
  async request(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) {
    const { sandbox, time } = this.world;
    const [pathname = '', query = ''] = path.split('?');
    const headers = { 'content-type': 'application/json', 'x-authentication': sandbox.secret };
    const text = body === undefined ? '' : JSON.stringify(body);
    const call = { method, path: pathname, query, headers, body: text };
    const answer = await time.resolve(sandbox.handle(call));
    if (answer === 'reset') throw new Error('the connection broke');
    return { ok: answer.status < 300, text: String(answer.body) };
  }

  /** Lines of the log that a person reads, since `from` (virtual ms). */
  lines(pattern: RegExp, from = 0): readonly LogLine[] {
    return this.world.log.filter(
      ({ level, message, at }) => level !== 'debug' && at >= from && pattern.test(message),
    );
  }

  /** Warnings and errors since `from`: a person is not to be flooded. */
  alarms(from: number): readonly LogLine[] {
    return this.world.log.filter(
      ({ level, at }) => at >= from && (level === 'warn' || level === 'error'),
    );
  }

  expectWithinLimits(): void {
    for (const row of this.world.sandbox.exchange.positions('USDT')) {
      const value = numberFromFixed(absolute(row.quantity)) * numberFromFixed(row.entryPrice);
      expect(value, row.symbol).toBeLessThanOrEqual(MAX_NOTIONAL);
    }
  }

  /**
   * The clean return: the bot trades or reduces, every position of the venue is its own and has a stop, no
   * order is unproved, no id is used twice, and a replay decides the same.
   */
  async expectCleanReturn(): Promise<void> {
    const { world, bot, symbols } = this;
    await this.run(10_000);
    expect(bot.failure).toBeUndefined();
    expect(bot.engine.ledger.unprovedCount).toBe(0);
    for (const symbol of symbols)
      expect(bot.engine.positions.quantity(symbol, 'USDT'), symbol).toBe(this.position(symbol));
    expect(this.isGuarded).toBe(true);
    this.expectWithinLimits();
    await world.stop(bot);
    expect(bot.engine.isReconciled).toBe(true);
    const ids = world.ownOrders().map(({ clientOrderId }) => clientOrderId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await replayOf(world)).toMatchObject({ identical: true, unjournaled: 0 });
  }
}
