import type { TargetTracker } from '../target/target-tracker.js';
import type { OrderFactory } from '../target/order-factory.js';
import { applyErrorPolicy, ON_ERROR, POLICY_TEXTS, type ErrorPolicy } from './error-policy.js';
import { timerCause, type DecisionContext } from './decision-context.js';
import type { HostState } from './strategy-host.js';

export interface StrategyLifecycleParts {
  readonly symbols: readonly string[];
  readonly onError: ErrorPolicy;
  readonly orderFactory: OrderFactory;
  readonly decisionContext: DecisionContext;
  readonly trackers: () => Iterable<TargetTracker>;
  /** Nothing of the strategy's code runs after it. */
  readonly closeAdapter: () => void;
}

/** Whether a strategy runs, whether it may place orders, and how it ends. */
export class StrategyLifecycle {
  readonly #parts: StrategyLifecycleParts;
  #state: HostState = 'running';
  #isStarted = false;
  #finishesExits = false;
  /** The current event is live and the strategy started: only then are orders placed. */
  isLive = false;

  constructor(parts: StrategyLifecycleParts) {
    this.#parts = parts;
  }

  get state(): HostState {
    return this.#state;
  }
  get isRunning(): boolean {
    return this.#state === 'running';
  }
  /** Orders may be given. */
  get isStarted(): boolean {
    return this.#isStarted;
  }
  /** Its targets follow the position, and their reductions go on. */
  get managesTargets(): boolean {
    return this.isTrading || this.#finishesExits;
  }
  /** Its targets and orders are still managed. */
  get isTrading(): boolean {
    return this.isRunning || (this.#state === 'failed' && this.#parts.onError === 'flatten');
  }

  /** Orders may be placed from here on. @returns whether the strategy starts to run */
  start(): boolean {
    if (this.#isStarted) return false;
    this.#isStarted = true;
    if (this.#state === 'failed') this.#applyErrorPolicy();
    return this.isRunning;
  }

  /** The strategy cannot start. `start` applies its error policy. */
  failBeforeStart(why: string): void {
    const { orderFactory } = this.#parts;
    orderFactory.log('error', `failed: ${why}`);
    this.#state = 'failed';
  }

  /** Cancels entries; stops stay at the venue. After a failure a reduction that it has decided goes on. */
  end(state: 'stopped' | 'failed', why: string): void {
    if (!this.isRunning) return;
    this.#state = state;
    const { closeAdapter, symbols, orderFactory, onError } = this.#parts;
    closeAdapter();
    for (const symbol of symbols) orderFactory.cancelEntries(symbol);
    const policy = state === 'failed' ? onError : 'hold';
    orderFactory.log('error', `${state}: ${why}. ${POLICY_TEXTS[policy]}`);
    if (state !== 'failed' || !this.#isStarted) return;
    this.#finishExits();
    this.#applyErrorPolicy();
  }

  /** Leaves the orders to the caller. @param exits reductions that it has decided */
  stop(exits: 'freeze' | 'finish'): void {
    if (this.isRunning) this.#state = 'stopped';
    if (exits === 'finish') this.#finishExits();
    else this.#finishesExits = false;
  }

  /** An exit is never trapped: not by an end of its strategy either. */
  #finishExits(): void {
    this.#finishesExits = true;
    for (const tracker of this.#parts.trackers()) tracker.onlyReduce();
  }

  #applyErrorPolicy(): void {
    const { onError, decisionContext, orderFactory, trackers } = this.#parts;
    if (onError === 'hold') return;
    decisionContext.setEvent(timerCause(orderFactory.port, ON_ERROR));
    applyErrorPolicy(onError, trackers(), { orderFactory, decisionContext });
  }
}
