import type { Check } from '../watcher.js';
import * as money from './money.js';
import * as orders from './orders.js';
import * as run from './run.js';
import * as state from './state.js';
import * as trace from './trace.js';

/** The invariants of the reliability research, part 3, that a run is judged by. */
export const CHECKS: readonly Check[] = [orders, trace, money, run, state]
  .flatMap((checkModule) => Object.values(checkModule) as Check[])
  .sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
