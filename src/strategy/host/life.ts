import type { Lane } from '../lane.js';
import type { OrderDesk } from '../order-desk.js';
import { carryOut, ON_ERROR, POLICY_TEXTS, type ErrorPolicy } from './error-policy.js';
import { causeOfNow, type Step } from './step.js';
import type { HostState } from './strategy-host.js';

export interface LifeParts {
  readonly symbols: readonly string[];
  readonly onError: ErrorPolicy;
  readonly desk: OrderDesk;
  readonly step: Step;
  readonly lanes: () => Iterable<Lane>;
  /** Nothing of the strategy's code runs after it. */
  readonly silence: () => void;
}

/** Whether a strategy runs, whether what it asks for is ordered, and how it ends. */
export class Life {
  readonly #parts: LifeParts;
  #state: HostState = 'running';
  #started = false;
  /** The last candle or second was a live one, after the start: only then is anything ordered. */
  live = false;

  constructor(parts: LifeParts) {
    this.#parts = parts;
  }

  get state(): HostState {
    return this.#state;
  }
  get runs(): boolean {
    return this.#state === 'running';
  }
  /** Orders may be given. */
  get started(): boolean {
    return this.#started;
  }
  /** Orders of it are still seen to. */
  get trades(): boolean {
    return this.runs || (this.#state === 'failed' && this.#parts.onError === 'flatten');
  }

  /** Orders may be given from here on. @returns whether it begins to run with this */
  start(): boolean {
    if (this.#started) return false;
    this.#started = true;
    if (this.#state === 'failed') this.#carryOut();
    return this.runs;
  }

  /** It cannot even begin. What becomes of its positions is carried out when it is started. */
  failAtOnce(why: string): void {
    const { desk } = this.#parts;
    desk.say('error', `failed: ${why}`);
    this.#state = 'failed';
  }

  /** The target freezes and stops stay at the venue; what could still increase is taken back. */
  end(state: 'stopped' | 'failed', why: string): void {
    if (!this.runs) return;
    this.#state = state;
    const { silence, symbols, desk, onError } = this.#parts;
    silence();
    for (const symbol of symbols) desk.cancelEntries(symbol);
    const policy = state === 'failed' ? onError : 'hold';
    desk.say('error', `${state}: ${why}. ${POLICY_TEXTS[policy]}`);
    if (state === 'failed' && this.#started) this.#carryOut();
  }

  /** Its orders are left as they are: whoever stops it sees to them. */
  stop(): void {
    this.#state = 'stopped';
  }

  #carryOut(): void {
    const { onError, step, desk, lanes } = this.#parts;
    if (onError === 'hold') return;
    step.other(causeOfNow(desk.world, ON_ERROR));
    carryOut(onError, lanes(), { desk, step });
  }
}
