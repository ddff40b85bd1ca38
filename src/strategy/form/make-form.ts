import { CallbackForm, type FormOptions } from './callback-form.js';
import type { Interval } from '../../core/interval.js';
import { isStreamForm, type StrategyDefinition } from '../definition.js';
import { failureText } from '../host/failure-place.js';
import type { StrategyForm } from './form.js';
import { StrategyLoadError } from '../loader/load-error.js';
import type { HostOptions } from '../host/strategy-host.js';
import { StreamForm, type StreamEnds } from './stream-form.js';

/** @throws StrategyLoadError with what the strategy threw */
export function makeForm(
  {
    id,
    definition,
    params,
    symbols,
    interval,
    world,
  }: Pick<HostOptions, 'id' | 'definition' | 'params' | 'symbols' | 'interval' | 'world'>,
  outbox: FormOptions['outbox'],
  ends: StreamEnds,
): StrategyForm {
  try {
    const intervals = namedIntervals(definition, params);
    const form: FormOptions = { params, symbols, interval, intervals, world, outbox };
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

/** Those of the definition, whatever it says them with. */
const namedIntervals = (
  { intervals = [] }: StrategyDefinition,
  params: unknown,
): readonly Interval[] => (typeof intervals === 'function' ? intervals(params) : intervals);
