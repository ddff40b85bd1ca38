import {
  directLocation,
  stackLocationText,
  strategyFrames,
} from '../../strategy/isolation/stack-location.js';
import type { FindingList } from './finding.js';

/** Largest number of stacks read per call kind, because reading stacks is slow. */
const MAX_STACK_READS = 100;
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'fetch'] as const;

/**
 * Reports a strategy's use of clock, random numbers, timers and network, which keep working. A decision
 * that depends on them cannot be repeated. Patches globals, so only the check process may install it.
 */
export function installNondeterminismDetector(findings: FindingList): void {
  const stackReads = new Map<string, number>();
  const report = (what: string, hint: string, direct: boolean): void => {
    const before = stackReads.get(what) ?? 0;
    if (before >= MAX_STACK_READS) return;
    const { stack } = new Error();
    const location = direct ? directLocation(stack) : strategyFrames(stack)[0];
    if (location === undefined) return;
    stackReads.set(what, before + 1);
    findings.add({
      place: stackLocationText(location),
      message: `${what} is used in a strategy`,
      hint,
    });
  };
  const { random } = Math;
  Math.random = () => {
    report('Math.random', 'runs must be repeatable: hash context.time instead', true);
    return random();
  };
  const RealDate = Date;
  const clock = 'time comes with the events: context.time is venue time, in a backtest too';
  globalThis.Date = new Proxy(RealDate, {
    construct(target, args, type) {
      if (args.length === 0) report('new Date()', clock, true);
      return Reflect.construct(target, args, type) as object;
    },
    get(target, key) {
      if (key === 'now') report('Date.now', clock, true);
      return Reflect.get(target, key, target) as unknown;
    },
  });
  const host = globalThis as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const name of TIMERS) {
    const real = host[name];
    if (real === undefined) continue;
    host[name] = (...args) => {
      report(
        name,
        'a strategy handles events synchronously: code outside of them never decides',
        false,
      );
      return real(...args);
    };
  }
}
