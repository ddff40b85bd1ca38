import { HookAdapter, type AdapterOptions } from './hook-adapter.js';
import type { Interval } from '../../core/interval.js';
import { isStreamStrategy, type StrategyDefinition } from '../contract/definition.js';
import { failureText } from '../host/failure-location.js';
import type { StrategyAdapter } from './strategy-adapter.js';
import { StrategyLoadError } from '../loader/load-error.js';
import type { HostOptions } from '../host/strategy-host.js';
import { ObservableAdapter, type StreamEndHandlers } from './observable-adapter.js';

/** @throws StrategyLoadError with the error of the strategy */
export function createAdapter(
  {
    id,
    definition,
    params,
    symbols,
    interval,
    port,
  }: Pick<HostOptions, 'id' | 'definition' | 'params' | 'symbols' | 'interval' | 'port'>,
  intentSink: AdapterOptions['intentSink'],
  streamEnd: StreamEndHandlers,
): StrategyAdapter {
  try {
    const intervals = namedIntervals(definition, params);
    const adapterOptions: AdapterOptions = {
      params,
      symbols,
      interval,
      intervals,
      port,
      intentSink,
    };
    return isStreamStrategy(definition)
      ? new ObservableAdapter(definition, adapterOptions, streamEnd)
      : new HookAdapter(definition, adapterOptions);
  } catch (error) {
    throw new StrategyLoadError(
      `Strategy ${id} (${definition.name}) could not be made: ${failureText(error)}`,
      { cause: error },
    );
  }
}

/** Intervals of the definition: a list, or a function of the parameters. */
const namedIntervals = (
  { intervals = [] }: StrategyDefinition,
  params: unknown,
): readonly Interval[] => (typeof intervals === 'function' ? intervals(params) : intervals);
