import type { Interval } from '../../core/interval.js';
import type { Call, PlainMethod } from './call.js';

/** What the author of a strategy calls the code that a call leads to. */
const HOOKS: Readonly<Record<PlainMethod, string>> = {
  open: 'intents',
  start: 'onStart',
  round: 'onCandles',
  revision: 'onRevision',
  second: 'onSecond',
  markCandle: 'onMarkCandle',
  ticker: 'ticker$',
  fill: 'onFill',
  ended: 'onOrder',
  moved: 'onPosition',
  funding: 'onFunding',
  timer: 'its scheduler',
  due: 'onTimer',
  stop: 'onStop',
};

export function hookOf(call: Call, own: Interval, isStream: boolean): string {
  if (isStream && call.method !== 'open') return 'its stream of intents';
  if (call.method !== 'candle') return HOOKS[call.method];
  return call.interval === own ? 'onCandle' : 'onInterval';
}
