import type { IntentSink } from '../contract/context.js';
import { failureLocation, failureText } from '../host/failure-location.js';
import { checkTimer, unconfiguredSymbol, MAX_INTENTS } from '../host/intent-collector.js';
import type { Intent } from '../contract/intent.js';
import type { SizeSpec } from '../target/size/size-spec.js';
import type { StreamEndHandlers } from '../adapter/observable-adapter.js';
import type { MarketInputs } from '../target/intent-sizer.js';
import type { StrategyAction, OutOfBandAction } from './worker-messages.js';

interface ActionRecorderParts {
  readonly symbols: readonly string[];
  readonly quantityOf: IntentSink['quantityOf'];
  /** Called when the strategy acts outside a hook call. */
  readonly onOutOfBandAction: (action: OutOfBandAction) => void;
}

const OUTSIDE_CALL = 'outside of any step';

/** Records a strategy's actions during one call, for the host to apply in the same order. */
export class ActionRecorder implements IntentSink, StreamEndHandlers {
  readonly #parts: ActionRecorderParts;
  #actions: StrategyAction[] | undefined;
  #intents = 0;

  constructor(parts: ActionRecorderParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#actions = [];
    this.#intents = 0;
  }

  finish(): readonly StrategyAction[] {
    const actions = this.#actions ?? [];
    this.#actions = undefined;
    return actions;
  }

  /** Records one intent above the limit, so that the host detects too many. */
  put(intent: Intent): void {
    if (this.#actions === undefined) {
      const place = failureLocation(new Error('here'));
      const where = place === undefined ? '' : ` at ${place}`;
      const reason = `an intent came ${OUTSIDE_CALL}${where}: operators that need time take \`scheduler\`, and what comes after an await is refused`;
      this.#parts.onOutOfBandAction({ kind: 'ended', reason });
      return;
    }
    this.#intents += 1;
    if (this.#intents > MAX_INTENTS + 1) return;
    const isRefused =
      this.#intents > MAX_INTENTS || unconfiguredSymbol(intent, this.#parts.symbols) !== undefined;
    const place = isRefused ? failureLocation(new Error('here')) : undefined;
    this.#actions.push({ kind: 'intent', intent, ...(place !== undefined && { place }) });
  }

  explain(text: string): void {
    const explanation = { kind: 'explain', text: String(text) } as const;
    if (this.#actions === undefined) this.#parts.onOutOfBandAction(explanation);
    else this.#actions.push(explanation);
  }

  setTimer(symbol: string, at: number, key: string): void {
    checkTimer(at);
    this.#requireCall('a timer was set').push({ kind: 'timer', symbol, at, key });
  }

  readonly setSchedulerTimer = (at: number, key: string): void => {
    this.#requireCall('its scheduler was used').push({ kind: 'wake', at, key });
  };

  quantityOf(symbol: string, size: SizeSpec, inputs: MarketInputs): number | undefined {
    return this.#parts.quantityOf(symbol, size, inputs);
  }

  readonly onFailed = (error: unknown): void => {
    const text = failureText(error);
    if (this.#actions === undefined)
      this.#parts.onOutOfBandAction({
        kind: 'ended',
        reason: `its stream of intents threw ${text}`,
      });
    else this.#actions.push({ kind: 'failed', text });
  };

  readonly onCompleted = (): void => {
    if (this.#actions === undefined)
      this.#parts.onOutOfBandAction({
        kind: 'ended',
        reason: `its stream of intents completed ${OUTSIDE_CALL}`,
      });
    else this.#actions.push({ kind: 'completed' });
  };

  /** @throws RangeError */
  #requireCall(action: string): StrategyAction[] {
    if (this.#actions === undefined) throw new RangeError(`${action} ${OUTSIDE_CALL}`);
    return this.#actions;
  }
}
