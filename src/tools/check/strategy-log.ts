import { stackLocationText, strategyFrames } from '../../strategy/isolation/stack-location.js';
import { FindingList, type Finding } from './finding.js';

/** An intent or an explanation of a strategy, to compare two runs. */
export interface StrategyOutput {
  readonly text: string;
  /** Venue ms of the event it was emitted on. */
  readonly time: number;
  /** On the close of a candle, not on an event between two closes. */
  readonly isOnClose: boolean;
  /** Index among the outputs of its run. */
  readonly index: number;
}

/** More outputs on one candle are a flood. */
export const MAX_OUTPUTS_PER_CANDLE = 100;

/** How often one message is located; later ones reuse the last place, because stacks are slow. */
const MAX_LOCATED = 5;

/** Ends a call of a strategy that floods. */
export class FloodError extends Error {
  override readonly name = 'FloodError';
}

/** Records the outputs of a checked strategy, and its faults. */
export class StrategyLog {
  readonly findings = new FindingList();
  readonly outputs: StrategyOutput[] = [];
  /** The strategy's file, for findings without a line. */
  readonly file: string;
  /** Called with each call of the strategy, for the watchdog. */
  readonly beat: () => void;
  #time = 0;
  #isOnClose = false;
  readonly #located = new Map<string, { times: number; last: Finding }>();
  #count = 0;
  #depth = 0;
  #isFlooded = false;

  /** The place in the code of the requested output, once it was emitted. */
  requestedLocation: string | undefined;
  readonly #requestedIndex: number | undefined;

  /** @param requestedIndex the output to locate in the code; reading every stack would be slow */
  constructor(file: string, beat: () => void = () => undefined, requestedIndex?: number) {
    this.file = file;
    this.beat = beat;
    this.#requestedIndex = requestedIndex;
  }

  /** The strategy has emitted too much on one candle. */
  get isFlooded(): boolean {
    return this.#isFlooded;
  }

  /** Whether a call of the strategy is on the stack. */
  get isInsideStrategy(): boolean {
    return this.#depth > 0;
  }

  /** Starts an event. Outputs are counted from candle to candle. */
  startEvent(time: number, isOnClose: boolean): void {
    this.#time = time;
    this.#isOnClose = isOnClose;
    if (isOnClose) this.#count = 0;
  }

  /** @throws FloodError after too many outputs on one candle */
  record(text: string): void {
    this.#count += 1;
    if (this.#count > MAX_OUTPUTS_PER_CANDLE + 1)
      throw new FloodError(`more than ${MAX_OUTPUTS_PER_CANDLE} at once`);
    if (this.#count > MAX_OUTPUTS_PER_CANDLE) {
      this.#isFlooded = true;
      this.addFinding({
        message: `a flood: more than ${MAX_OUTPUTS_PER_CANDLE} intents or notes on one candle`,
        hint: 'send one intent per candle: target() stays in force until it is changed',
      });
    }
    const index = this.outputs.length;
    if (index === this.#requestedIndex) this.requestedLocation = this.locate();
    this.outputs.push({ text, time: this.#time, isOnClose: this.#isOnClose, index });
  }

  /** Reads the place from the stack unless it is given, a limited number of times per message. */
  addFinding({ place, ...finding }: Omit<Finding, 'place'> & { readonly place?: string }): void {
    const known = this.#located.get(finding.message);
    const isExhausted = known !== undefined && known.times >= MAX_LOCATED;
    const last = isExhausted ? known.last : { place: place ?? this.locate(), ...finding };
    this.#located.set(finding.message, { times: (known?.times ?? 0) + 1, last });
    this.findings.add(last);
  }

  /** `file:line` in the strategy that runs now, or that threw the error. */
  locate(error: unknown = new Error()): string {
    const [frame] = strategyFrames(error instanceof Error ? error.stack : undefined);
    return frame === undefined ? this.file : stackLocationText(frame);
  }

  /** Runs code of the strategy. */
  runInside<T>(call: () => T): T {
    this.beat();
    this.#depth += 1;
    try {
      return call();
    } finally {
      this.#depth -= 1;
    }
  }
}
