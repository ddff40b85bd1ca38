import { RevertibleControls, sandboxControls } from './controls.js';
import { decimalOf, record } from './expect.js';
import { openStream } from './stream.js';
import type { Target } from './target.js';
import {
  Skip,
  type VenueDriver,
  type ContractStream,
  type VenueUnderTest,
} from './venue-under-test.js';

/** The longest wait for venue time to pass by itself. */
const LONGEST_WAIT_MS = 75_000;
const CONNECTIONS_A_MINUTE = 10;
const STREAM_PATH = '/fapi/v1/price/ws/linear';

export interface SessionOptions {
  readonly target: Target;
  /** Sends the cases' requests. */
  readonly driver: VenueDriver;
  /** Plain HTTP: control paths, and clean-up. */
  readonly plain: VenueDriver;
  readonly symbols: VenueUnderTest['symbols'];
}

/** The venue as one case uses it, with the state to undo after the case. */
export class Session implements VenueUnderTest {
  readonly controls: VenueUnderTest['controls'];
  readonly symbols: VenueUnderTest['symbols'];
  readonly #options: SessionOptions;
  readonly #revertible: RevertibleControls | undefined;
  readonly #streams: ContractStream[] = [];
  /** Monotonic ms of opened connections, shared by all sessions of a target. */
  readonly #opened: number[];
  #readOnly = false;
  wrote = false;

  constructor(options: SessionOptions, opened: number[], readOnly: boolean) {
    this.#options = options;
    this.#opened = opened;
    this.#readOnly = readOnly;
    this.symbols = options.symbols;
    const revertible = options.target.controls
      ? new RevertibleControls(sandboxControls(options.plain))
      : undefined;
    this.#revertible = revertible;
    this.controls = revertible?.recorded;
  }

  call: VenueUnderTest['call'] = (method, path, request = {}) => {
    if (method !== 'GET') {
      if (this.#readOnly) throw new Error(`a read-only case sends ${method} ${path}`);
      this.wrote = true;
    }
    return this.#options.driver.call({ ...request, method, path });
  };

  connect: VenueUnderTest['connect'] = async (path = STREAM_PATH) => {
    await this.#waitForConnection();
    const handshake = await openStream(`${this.#options.target.wsUrl}${path}`);
    if (handshake.kind === 'open') this.#streams.push(handshake.stream);
    return handshake;
  };

  wait: VenueUnderTest['wait'] = (ms) => {
    if (ms > LONGEST_WAIT_MS && this.#options.target.clock !== 'manual') {
      throw new Skip(`it would take ${Math.round(ms / 1_000)} s of real time`);
    }
    return this.#options.target.time.wait(ms);
  };

  pass: VenueUnderTest['pass'] = async (ms) => {
    const { target, plain } = this.#options;
    if (target.clock === 'manual') {
      const body = { advance_ms: ms };
      await plain.call({ method: 'POST', path: '/sandbox/clock', body });
      // Real time passes too, as at a venue with a real clock.
      await target.time.wait(Math.min(ms, 1_000));
      return;
    }
    const realMs = ms / target.clock;
    if (realMs > LONGEST_WAIT_MS) {
      throw new Skip(`it would take ${Math.round(realMs / 1_000)} s of real time`);
    }
    await target.time.wait(realMs);
  };

  now: VenueUnderTest['now'] = async () => {
    const { target, plain } = this.#options;
    if (target.controls) {
      const { json } = await plain.call({ method: 'GET', path: '/sandbox/clock' });
      return decimalOf(record(json), 'now_ms').toNumber();
    }
    const { headers } = await plain.call({ method: 'GET', path: '/fapi/v1/futures/ping' });
    return Date.parse(headers['date'] ?? new Date().toUTCString());
  };

  /** Closes the connections of the case and restores its settings. */
  async end(): Promise<void> {
    for (const stream of this.#streams) stream.close();
    await this.#revertible?.revert();
  }

  /** Ten new connections a minute: the eleventh waits, unless the case tests that limit. */
  async #waitForConnection(): Promise<void> {
    const { target } = this.#options;
    if (!target.limits) return;
    const now = (): number => target.time.monotonicMs();
    const recent = this.#opened.filter((at) => now() - at < 61_000);
    this.#opened.splice(0, this.#opened.length, ...recent, now());
    const oldest = recent[recent.length - CONNECTIONS_A_MINUTE];
    if (oldest !== undefined && !this.unpaced) await target.time.wait(61_000 - (now() - oldest));
  }

  /** Set for cases that test rate limits. */
  unpaced = false;
}
