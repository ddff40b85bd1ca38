// A bot with a position and its stop on a sandbox of its own, and what happens to it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sluiceOf, startDaemon, statusOf } from './daemon.mjs';
import { openVenue } from './venue.mjs';
import { watchLimits } from './watch.mjs';

const repository = (path) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
export const HOLDER = repository('test/fixtures/constant-target.ts');
export const HOARDER = repository('bench/unknown-orders/resting-orders.ts');
export const FLIP = repository('test/fixtures/flip-flop.ts');
export const MAD = repository('test/fixtures/mad-trader.ts');
/** The first minute closes twenty seconds after the start. */
const START = '2025-05-05T00:00:40Z';
const MAX_NOTIONAL = 300;
const MAX_ORDERS = 12;
const TICK_MS = 150;

const strategyText = ({ id, use = HOLDER, symbol, notional = 200, stop = 5, params }) => `
  - id: ${id ?? `hold-${symbol.toLowerCase()}`}
    use: '${use}'
    symbols: [${symbol}]
    leverage: 2
    size: { notional: '${notional}' }${stop ? `\n    protect: { stop_loss_pct: ${stop} }` : ''}${
      params === undefined ? '' : `\n    params: ${params}`
    }`;

export class World {
  #from = performance.now();
  #since = {};
  #watch;
  /** Folder of the program. */
  root = repository('');
  /** Columns of the table. */
  facts = {};
  /** Every one that was started, the last one is `daemon`. */
  daemons = [];

  /**
   * @param {{ clock?: string, start?: string, isProxied?: boolean, machine?: boolean, diskBytes?: number,
   *   strategies: object[], more?: string, risk?: string, onStop?: string, maxNotional?: number,
   *   root?: string }} options `root` is the folder of the program
   */
  static async open(options) {
    const world = new World();
    const {
      clock = 'real',
      start = START,
      isProxied = false,
      maxNotional = MAX_NOTIONAL,
    } = options;
    world.strategies = options.strategies;
    world.root = options.root ?? world.root;
    world.folder = mkdtempSync(join(tmpdir(), 'sluice-disaster-'));
    if (options.diskBytes !== undefined) world.#mount(options.diskBytes);
    world.stateDir = join(world.disk ?? world.folder, 'state');
    world.config = join(world.folder, 'bot.yaml');
    if (options.machine === true) world.machineFile = join(world.folder, 'machine.json');
    world.venue = await openVenue({ clock, start, isProxied });
    const { baseUrl, wsUrl, secret } = world.venue;
    world.setSecret(secret);
    world.machine({});
    const symbols = [...new Set(options.strategies.map(({ symbol }) => symbol))];
    writeFileSync(
      world.config,
      `mode: sandbox
account: disaster
venue: { base_url: '${baseUrl}', ws_url: '${wsUrl}', api_secret_file: '${join(world.folder, 'secret')}' }
state_dir: '${world.stateDir}'
on_stop: ${options.onStop ?? 'keep'}
poll_ms: 1000
${options.more ?? ''}
strategies:${options.strategies.map(strategyText).join('')}
risk:
  preset: standard
  symbols_allow: [${symbols.join(', ')}]
  max_position_notional: { usdt: '${maxNotional}', pct_equity: 90 }
${options.risk ?? ''}
`,
    );
    const guarded = options.strategies.flatMap(({ symbol, stop = 5 }) => (stop ? [symbol] : []));
    world.#watch = watchLimits({ venue: world.venue, maxNotional, maxOrders: MAX_ORDERS, guarded });
    world.start();
    return world;
  }

  /** A file system of its own, which a few megabytes fill. */
  #mount(bytes) {
    this.disk = join(this.folder, 'disk');
    mkdirSync(this.disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'tmpfs', this.disk]);
  }

  /** @param more words after `run` */
  start(...more) {
    const { config, root, machineFile } = this;
    this.daemon = startDaemon({ config, root, more, machineFile });
    this.daemons.push(this.daemon);
  }

  machine(settings) {
    if (this.machineFile !== undefined) writeFileSync(this.machineFile, JSON.stringify(settings));
  }

  setSecret(secret) {
    writeFileSync(join(this.folder, 'secret'), `${secret}\n`, { mode: 0o600 });
  }

  status = () => statusOf(this.stateDir);
  operator = (...args) => sluiceOf(this.root, ...args);
  run = (seconds) => sleep(seconds * 1_000);
  get nakedMs() {
    return this.#watch.nakedMs;
  }

  /** Seconds since the disaster began. */
  get seconds() {
    return (performance.now() - this.#from) / 1_000;
  }

  /** Until it has lasted so long. */
  lasts = (seconds) => this.run(Math.max(0, seconds - this.seconds));

  /** The disaster begins now. */
  begin() {
    this.#from = performance.now();
    this.#since = { detected_s: this.#from, exit_s: this.#from, back_s: this.#from };
  }

  /** Exits are asked for now, or are possible from now on. */
  exitsDue = () => (this.#since.exit_s = performance.now());

  /** The disaster is over: the bot has to come back. */
  over = () => (this.#since.back_s = performance.now());

  /** @returns what `holds` gave, once it gives something */
  async until(what, holds, withinSeconds) {
    const from = performance.now();
    for (;;) {
      const found = await holds();
      if (found) return found;
      if (performance.now() - from > withinSeconds * 1_000)
        throw new Error(`${what}: not within ${withinSeconds} s`);
      if (this.daemon.code !== undefined && !this.mayEnd)
        throw new Error(`${what}: the daemon ended with code ${this.daemon.code}`);
      await sleep(TICK_MS);
    }
  }

  /** Notes when a thing first held, under `name`. */
  async note(name, what, holds, withinSeconds) {
    const found = await this.until(what, holds, withinSeconds);
    this.facts[name] ??= Math.round((performance.now() - this.#since[name]) / 100) / 10;
    return found;
  }

  /** The bot holds a position in each symbol, with its stop where one is configured. */
  async holding() {
    await this.until(
      'a position with its stop in each symbol',
      async () => {
        const [state, status] = [await this.venue.state(), await this.status()];
        return (
          status?.mode === 'TRADING' &&
          this.strategies.every(
            ({ symbol, stop = 5 }) =>
              state.quantity(symbol) !== 0 && (!stop || state.hasStop(symbol)),
          ) &&
          status.positions.length >= this.strategies.length
        );
      },
      150,
    );
    await sleep(3_000);
    return this.venue.state();
  }

  async detected(control, withinSeconds) {
    const restriction = await this.note(
      'detected_s',
      `a restriction by ${control}`,
      async () => (await this.status())?.restrictions.find((each) => each.control === control),
      withinSeconds,
    );
    const { symbol, mode } = restriction;
    this.facts.restriction = `${control} ${mode} ${symbol ?? 'account'}, ${restriction.class}`;
    return restriction;
  }

  /** Lines of the log since the disaster began. */
  said = (pattern) => this.daemon.said(pattern, this.#from);

  /** A line of the log tells a person. */
  async told(pattern, withinSeconds) {
    await this.note(
      'detected_s',
      `a line ${pattern}`,
      () => this.said(pattern).length > 0,
      withinSeconds,
    );
  }

  /** The venue holds nothing in these symbols. */
  closed = (symbols, withinSeconds) =>
    this.note(
      'exit_s',
      `no position in ${symbols.join(', ')}`,
      async () => {
        const state = await this.venue.state();
        return symbols.every((symbol) => state.quantity(symbol) === 0);
      },
      withinSeconds,
    );

  /** The operator's flatten, in the midst of it: positions are closed in time, and then it is proved. */
  async flatten(symbols, withinSeconds, proof = async () => undefined) {
    this.exitsDue();
    const killed = this.operator('kill', this.stateDir, '--level', 'flatten', '--timeout', '120s');
    await this.closed(symbols, withinSeconds);
    await proof();
    const { code, stderr } = await killed;
    if (code !== 0) throw new Error(`kill --level flatten ended with ${code}: ${stderr}`);
  }

  /** The operator's resume, of the account or of a symbol. */
  async resume(...symbol) {
    await this.until(
      `resume ${symbol}`,
      async () => (await this.operator('resume', ...symbol, this.stateDir)).code === 0,
      120,
    );
  }

  /** TRADING, and no restriction is left. */
  back = (withinSeconds) =>
    this.note(
      'back_s',
      'TRADING without a restriction',
      async () => {
        const status = await this.status();
        return (
          status?.mode === 'TRADING' &&
          status.restrictions.length === 0 &&
          Object.keys(status.symbols).length === 0
        );
      },
      withinSeconds,
    );

  async close(holds, keep) {
    await this.#watch?.stop();
    if (this.daemon?.code === undefined) this.daemon?.signal('SIGCONT');
    if (this.daemon?.code === undefined) this.daemon?.signal('SIGKILL');
    await this.daemon?.ended;
    if (!holds && this.venue)
      writeFileSync(join(this.folder, 'state.json'), JSON.stringify(await this.venue.state()));
    if (!holds && this.daemon)
      writeFileSync(
        join(this.folder, 'daemon.log'),
        this.daemons
          .flatMap(({ lines }) => lines)
          .map(({ at, text }) => `${((at - this.#from) / 1_000).toFixed(1)} ${text}\n`)
          .join(''),
      );
    await this.venue?.stop();
    if (this.disk !== undefined) execFileSync('umount', [this.disk]);
    if (holds && !keep) rmSync(this.folder, { recursive: true, force: true });
  }

  /**
   * The clean return: books of bot and venue agree, every position has its stop, nothing is unknown, the
   * run ends reconciled with the exit code of its state, and a replay decides the same.
   * @param {{ code?: number, sessions?: 'all' | 'last' }} options exit code, and the runs that are replayed
   * @returns sentences on what does not hold
   */
  async cleanReturn({ code = 0, sessions = 'all' } = {}) {
    const faults = [...this.#watch.breaches];
    const must = (holds, text) => holds || faults.push(text);
    await this.until(
      'nothing unknown and one picture of the positions',
      async () => {
        const [status, state] = [await this.status(), await this.venue.state()];
        return (
          status?.unknown === 0 &&
          status.positions.every((each) => Number(each.quantity) === state.quantity(each.symbol)) &&
          state.positions.every(({ symbol }) =>
            status.positions.some((each) => each.symbol === symbol),
          )
        );
      },
      60,
    );
    await this.until(
      'a stop on each position',
      async () => {
        const state = await this.venue.state();
        return this.strategies.every(
          ({ symbol, stop = 5 }) => !stop || state.quantity(symbol) === 0 || state.hasStop(symbol),
        );
      },
      30,
    );
    this.mayEnd = true;
    this.daemon.signal('SIGINT');
    await this.until('the end of the daemon', () => this.daemon.code !== undefined, 60);
    const summary = this.daemon.summary();
    must(summary.reconciled === true, `the summary says reconciled: ${summary.reconciled}`);
    must(this.daemon.code === code, `exit code ${this.daemon.code}, expected ${code}`);
    const { own, internal_errors: errors } = await this.venue.state();
    const ids = own.map(({ client_order_id: id }) => id);
    must(new Set(ids).size === ids.length, 'a client order id is used twice');
    must(errors.length === 0, `the sandbox failed: ${JSON.stringify(errors)}`);
    const replay = await this.operator('replay', this.stateDir, '--json');
    const played = JSON.parse(replay.stdout || '{}');
    const { identical } = sessions === 'all' ? played : (played.sessions?.at(-1) ?? {});
    must(identical === true, `the replay is not identical: ${replay.stdout}${replay.stderr}`);
    return faults;
  }
}
