import type { Outbox } from '../context.js';
import { failurePlace, failureText } from '../host/failure-place.js';
import { checkTimer, foreignSymbol, MAX_INTENTS } from '../host/host-outbox.js';
import type { Intent } from '../intent.js';
import type { SizeWish } from '../size/size-wish.js';
import type { StreamEnds } from '../form/stream-form.js';
import type { Known } from '../trader.js';
import type { Act, Stray } from './call.js';

interface ActListParts {
  readonly symbols: readonly string[];
  readonly quantityOf: Outbox['quantityOf'];
  /** Somebody did something when nobody had called. */
  readonly strayed: (stray: Stray) => void;
}

const OUTSIDE = 'outside of any step';

/** What a strategy does during one call, written down for the host to carry out in the same order. */
export class ActList implements Outbox, StreamEnds {
  readonly #parts: ActListParts;
  #acts: Act[] | undefined;
  #intents = 0;

  constructor(parts: ActListParts) {
    this.#parts = parts;
  }

  begin(): void {
    this.#acts = [];
    this.#intents = 0;
  }

  end(): readonly Act[] {
    const acts = this.#acts ?? [];
    this.#acts = undefined;
    return acts;
  }

  /** One more than are allowed is enough to tell that there were too many. */
  put(intent: Intent): void {
    if (this.#acts === undefined) {
      const place = failurePlace(new Error('here'));
      const where = place === undefined ? '' : ` at ${place}`;
      const reason = `an intent came ${OUTSIDE}${where}: operators that need time take \`scheduler\`, and what comes after an await is refused`;
      this.#parts.strayed({ kind: 'ended', reason });
      return;
    }
    this.#intents += 1;
    if (this.#intents > MAX_INTENTS + 1) return;
    const wrong =
      this.#intents > MAX_INTENTS || foreignSymbol(intent, this.#parts.symbols) !== undefined;
    const place = wrong ? failurePlace(new Error('here')) : undefined;
    this.#acts.push({ kind: 'intent', intent, ...(place !== undefined && { place }) });
  }

  explain(text: string): void {
    const said = { kind: 'explain', text: String(text) } as const;
    if (this.#acts === undefined) this.#parts.strayed(said);
    else this.#acts.push(said);
  }

  timer(symbol: string, at: number, key: string): void {
    checkTimer(at);
    this.#inCall('a timer was set').push({ kind: 'timer', symbol, at, key });
  }

  readonly wake = (at: number, key: string): void => {
    this.#inCall('its scheduler was used').push({ kind: 'wake', at, key });
  };

  quantityOf(symbol: string, size: SizeWish, known: Known): number | undefined {
    return this.#parts.quantityOf(symbol, size, known);
  }

  readonly failed = (error: unknown): void => {
    const text = failureText(error);
    if (this.#acts === undefined)
      this.#parts.strayed({ kind: 'ended', reason: `its stream of intents threw ${text}` });
    else this.#acts.push({ kind: 'failed', text });
  };

  readonly completed = (): void => {
    if (this.#acts === undefined)
      this.#parts.strayed({ kind: 'ended', reason: `its stream of intents completed ${OUTSIDE}` });
    else this.#acts.push({ kind: 'completed' });
  };

  /** @throws RangeError */
  #inCall(what: string): Act[] {
    if (this.#acts === undefined) throw new RangeError(`${what} ${OUTSIDE}`);
    return this.#acts;
  }
}
