import { directPlace, placeText, strategyFrames } from './code-place.js';
import type { FindingList } from './finding.js';

/** A look at the stack costs: so many of a kind tell enough. */
const MOST_LOOKS = 100;
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'fetch'] as const;

/**
 * In a process that exists for one check alone: clock, chance, timers and the network still work, and
 * whoever uses them from a strategy is written down. A decision that depends on them cannot be
 * repeated.
 */
export function setAmbientTraps(findings: FindingList): void {
  const looks = new Map<string, number>();
  const caught = (what: string, hint: string, direct: boolean): void => {
    const before = looks.get(what) ?? 0;
    if (before >= MOST_LOOKS) return;
    const { stack } = new Error();
    const place = direct ? directPlace(stack) : strategyFrames(stack)[0];
    if (place === undefined) return;
    looks.set(what, before + 1);
    findings.add({ place: placeText(place), message: `${what} is used in a strategy`, hint });
  };
  const { random } = Math;
  Math.random = () => {
    caught('Math.random', 'runs must be repeatable: hash context.time instead', true);
    return random();
  };
  const RealDate = Date;
  const clock = 'time comes with the events: context.time is venue time, in a backtest too';
  globalThis.Date = new Proxy(RealDate, {
    construct(target, words, type) {
      if (words.length === 0) caught('new Date()', clock, true);
      return Reflect.construct(target, words, type) as object;
    },
    get(target, key) {
      if (key === 'now') caught('Date.now', clock, true);
      return Reflect.get(target, key, target) as unknown;
    },
  });
  const host = globalThis as unknown as Record<string, (...words: unknown[]) => unknown>;
  for (const name of TIMERS) {
    const real = host[name];
    if (real === undefined) continue;
    host[name] = (...words) => {
      caught(
        name,
        'a strategy hears events and answers at once: there is no later outside them',
        false,
      );
      return real(...words);
    };
  }
}
