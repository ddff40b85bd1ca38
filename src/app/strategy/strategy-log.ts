import { placeText, strategyFrames } from './code-place.js';
import { FindingList, type Finding } from './finding.js';

/** Something that a strategy said or asked for, for comparing two runs. */
export interface Saying {
  readonly text: string;
  /** Venue ms of the event that it spoke on. */
  readonly time: number;
  /** On a candle's close, not on what came between two. */
  readonly closes: boolean;
  /** Which of the sayings of its run it is. */
  readonly index: number;
}

/** More than this on one candle is a flood: no strategy wants so much at once. */
export const FLOOD = 100;

/** So often the place of one message is looked for; then it is taken for the last one again. */
const MOST_PLACED = 5;

/** Ends a call of a strategy that floods: the run is over for it. */
export class FloodError extends Error {
  override readonly name = 'FloodError';
}

/** What a strategy under examination does, and what is found wrong with it meanwhile. */
export class StrategyLog {
  readonly findings = new FindingList();
  readonly sayings: Saying[] = [];
  /** The strategy's file, for what has no better place. */
  readonly file: string;
  /** Called when the strategy is called: a watchdog looks for this. */
  readonly beat: () => void;
  #time = 0;
  #closes = false;
  readonly #placed = new Map<string, { times: number; last: Finding }>();
  #count = 0;
  #depth = 0;
  #flooded = false;

  /** Of the saying that was asked for, once it was said. */
  wantedPlace: string | undefined;
  readonly #wanted: number | undefined;

  /** @param wanted the saying whose place in the code is to be found: a look at the stack costs */
  constructor(file: string, beat: () => void = () => undefined, wanted?: number) {
    this.file = file;
    this.beat = beat;
    this.#wanted = wanted;
  }

  /** It has asked for too much on one candle. */
  get flooded(): boolean {
    return this.#flooded;
  }

  /** The strategy is being called. */
  get inside(): boolean {
    return this.#depth > 0;
  }

  /** The event that follows; what is asked for is counted from candle to candle. */
  at(time: number, closes: boolean): void {
    this.#time = time;
    this.#closes = closes;
    if (closes) this.#count = 0;
  }

  /** @throws FloodError when it has said too much on this candle */
  say(text: string): void {
    this.#count += 1;
    if (this.#count > FLOOD + 1) throw new FloodError(`more than ${FLOOD} at once`);
    if (this.#count > FLOOD) {
      this.#flooded = true;
      this.find({
        message: `a flood: more than ${FLOOD} intents or notes on one candle`,
        hint: 'ask once per candle for what you want: target() stands until it is changed',
      });
    }
    const index = this.sayings.length;
    if (index === this.#wanted) this.wantedPlace = this.place();
    this.sayings.push({ text, time: this.#time, closes: this.#closes, index });
  }

  /** Where it was is read off the stack, unless it is given: which costs, so not for ever. */
  find({ place, ...finding }: Omit<Finding, 'place'> & { readonly place?: string }): void {
    const known = this.#placed.get(finding.message);
    const isOld = known !== undefined && known.times >= MOST_PLACED;
    const last = isOld ? known.last : { place: place ?? this.place(), ...finding };
    this.#placed.set(finding.message, { times: (known?.times ?? 0) + 1, last });
    this.findings.add(last);
  }

  /** `file:line` in the strategy that is running now, or that an error came from. */
  place(error: unknown = new Error()): string {
    const [frame] = strategyFrames(error instanceof Error ? error.stack : undefined);
    return frame === undefined ? this.file : placeText(frame);
  }

  /** Runs code of the strategy. */
  within<T>(call: () => T): T {
    this.beat();
    this.#depth += 1;
    try {
      return call();
    } finally {
      this.#depth -= 1;
    }
  }
}
