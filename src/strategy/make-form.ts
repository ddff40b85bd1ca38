import { CallbackForm, type FormOptions } from './callback-form.js';
import { isStreamForm } from './definition.js';
import { failureText } from './failure-place.js';
import type { StrategyForm } from './form.js';
import { StrategyLoadError } from './load-error.js';
import type { HostOptions } from './strategy-host.js';
import { StreamForm, type StreamEnds } from './stream-form.js';

/** @throws StrategyLoadError with what the strategy threw */
export function makeForm(
  { id, definition, params, symbols, interval, world }: HostOptions,
  outbox: FormOptions['outbox'],
  ends: StreamEnds,
): StrategyForm {
  const form: FormOptions = { params, symbols, interval, world, outbox };
  try {
    return isStreamForm(definition)
      ? new StreamForm(definition, form, ends)
      : new CallbackForm(definition, form);
  } catch (error) {
    throw new StrategyLoadError(
      `Strategy ${id} (${definition.name}) could not be made: ${failureText(error)}`,
      { cause: error },
    );
  }
}
