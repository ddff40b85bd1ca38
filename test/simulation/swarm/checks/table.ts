import type { Check } from '../watcher.js';
import * as kill from './kill.js';
import * as limits from './limits.js';
import * as money from './money.js';
import * as orders from './orders.js';
import * as ownership from './ownership.js';
import * as run from './run.js';
import * as state from './state.js';
import * as trace from './trace.js';

/** The invariants of the reliability research, part 3, that a run is judged by. */
export const CHECKS: readonly Check[] = [orders, trace, money, run, state, limits, kill, ownership]
  .flatMap((checkModule) => Object.values(checkModule) as Check[])
  .sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
