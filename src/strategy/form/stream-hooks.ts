import type { CallbackStrategy, StrategyHooks } from '../definition.js';

/** A hook that nothing is subscribed for would wait for ever. @throws RangeError */
export function checkHooks(
  hooks: StrategyHooks,
  { streams = [], scope }: Pick<CallbackStrategy, 'streams' | 'scope'>,
): void {
  const heardSeconds = streams.includes('seconds') || streams.includes('mark-seconds');
  if (hooks.onSecond !== undefined && !heardSeconds)
    throw new RangeError("it has onSecond, so streams must name 'seconds' or 'mark-seconds'");
  if (hooks.onMarkCandle !== undefined && !streams.includes('mark'))
    throw new RangeError("it has onMarkCandle, so streams must name 'mark'");
  if (hooks.onFunding !== undefined && !streams.includes('funding'))
    throw new RangeError("it has onFunding, so streams must name 'funding'");
  if (hooks.onCandles !== undefined && scope !== 'all')
    throw new RangeError("it has onCandles, so it must say scope: 'all'");
}
