import type { StrategyDefinition } from '../../src/strategy/definition.js';
import type { FormOpener } from '../../src/strategy/host/strategy-host.js';
import type { Answer, Ask } from '../../src/strategy/thread/call.js';
import { FarForm } from '../../src/strategy/thread/far-form.js';
import type {
  LineListener,
  Silence,
  StrategyLine,
} from '../../src/strategy/thread/strategy-line.js';
import { ThreadForm, type Loss } from '../../src/strategy/thread/thread-form.js';

/** A strategy's thread without a thread: what is said is copied on the way, as threads copy it. */
export class LocalLine implements StrategyLine {
  readonly #form: FarForm;
  readonly asked: Ask[] = [];
  closed = false;
  /** Calls from this one on, from 1, are not answered. */
  silentFrom = Infinity;
  silence: Silence['silence'] = 'late';
  listener: LineListener | undefined;

  constructor(definition: StrategyDefinition, params: unknown) {
    this.#form = new FarForm(definition, params, (stray) => this.listener?.strayed(stray));
  }

  ask(ask: Ask): Answer | Silence {
    this.asked.push(ask);
    // The first makes it.
    if (this.asked.length > this.silentFrom) return { silence: this.silence };
    return structuredClone(this.#form.answer(structuredClone(ask)));
  }
  listen(listener: LineListener): void {
    this.listener = listener;
  }
  close(): void {
    this.closed = true;
  }
}

/** Opens a strategy over a line, as the daemon does. */
export const overLine =
  (line: StrategyLine, lost: (loss: Loss) => void = unheard): FormOpener =>
  (settings, outbox, ends) =>
    new ThreadForm({
      ...{ line, settings, outbox, ends, lost },
      budgets: { makeMs: 30_000, hookMs: 2_000 },
    });

const unheard = ({ call, reason }: Loss): never => {
  throw new Error(`call ${call} was lost: ${reason}`);
};
