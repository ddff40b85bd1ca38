import { UsedControls, controlsOver } from './controls.js';
import { decimalOf, record } from './expect.js';
import { openStream } from './stream.js';
import type { Target } from './target.js';
import { Skip, type Driver, type Stream, type Venue } from './venue.js';

/** Nobody waits longer than this for venue time to pass by itself. */
const LONGEST_WAIT_MS = 75_000;
const CONNECTIONS_A_MINUTE = 10;
const STREAM_PATH = '/fapi/v1/price/ws/linear';

export interface SessionOptions {
  readonly target: Target;
  /** Sends the cases' requests. */
  readonly driver: Driver;
  /** Plain HTTP: control paths, and tidying up. */
  readonly plain: Driver;
  readonly symbols: Venue['symbols'];
}

/** What one case sees of the venue, and what it left behind. */
export class Session implements Venue {
  readonly controls: Venue['controls'];
  readonly symbols: Venue['symbols'];
  readonly #options: SessionOptions;
  readonly #used: UsedControls | undefined;
  readonly #streams: Stream[] = [];
  /** When connections were opened, monotonic ms; shared by the sessions of a target. */
  readonly #opened: number[];
  #readOnly = false;
  wrote = false;

  constructor(options: SessionOptions, opened: number[], readOnly: boolean) {
    this.#options = options;
    this.#opened = opened;
    this.#readOnly = readOnly;
    this.symbols = options.symbols;
    const used = options.target.controls
      ? new UsedControls(controlsOver(options.plain))
      : undefined;
    this.#used = used;
    this.controls = used?.recording;
  }

  call: Venue['call'] = (method, path, request = {}) => {
    if (method !== 'GET') {
      if (this.#readOnly) throw new Error(`a read-only case sends ${method} ${path}`);
      this.wrote = true;
    }
    return this.#options.driver.call({ ...request, method, path });
  };

  connect: Venue['connect'] = async (path = STREAM_PATH) => {
    await this.#waitForConnection();
    const handshake = await openStream(`${this.#options.target.wsUrl}${path}`);
    if (handshake.kind === 'open') this.#streams.push(handshake.stream);
    return handshake;
  };

  wait: Venue['wait'] = (ms) => {
    if (ms > LONGEST_WAIT_MS && this.#options.target.clock !== 'manual') {
      throw new Skip(`it would take ${Math.round(ms / 1_000)} s of real time`);
    }
    return this.#options.target.time.wait(ms);
  };

  pass: Venue['pass'] = async (ms) => {
    const { target, plain } = this.#options;
    if (target.clock === 'manual') {
      const body = { advance_ms: ms };
      await plain.call({ method: 'POST', path: '/sandbox/clock', body });
      // Real time goes along, as it would at a venue whose clock runs by itself.
      await target.time.wait(Math.min(ms, 1_000));
      return;
    }
    const realMs = ms / target.clock;
    if (realMs > LONGEST_WAIT_MS) {
      throw new Skip(`it would take ${Math.round(realMs / 1_000)} s of real time`);
    }
    await target.time.wait(realMs);
  };

  now: Venue['now'] = async () => {
    const { target, plain } = this.#options;
    if (target.controls) {
      const { json } = await plain.call({ method: 'GET', path: '/sandbox/clock' });
      return decimalOf(record(json), 'now_ms').toNumber();
    }
    const { headers } = await plain.call({ method: 'GET', path: '/fapi/v1/futures/ping' });
    return Date.parse(headers['date'] ?? new Date().toUTCString());
  };

  /** Ends what the case opened and undoes what it set. */
  async end(): Promise<void> {
    for (const stream of this.#streams) stream.close();
    await this.#used?.putBack();
  }

  /** Ten new connections a minute: the eleventh waits, unless the case judges that. */
  async #waitForConnection(): Promise<void> {
    const { target } = this.#options;
    if (!target.limits) return;
    const now = (): number => target.time.monotonicMs();
    const recent = this.#opened.filter((at) => now() - at < 61_000);
    this.#opened.splice(0, this.#opened.length, ...recent, now());
    const oldest = recent[recent.length - CONNECTIONS_A_MINUTE];
    if (oldest !== undefined && !this.unpaced) await target.time.wait(61_000 - (now() - oldest));
  }

  /** Set for cases that judge the rates. */
  unpaced = false;
}
