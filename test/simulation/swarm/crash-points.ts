import type { Draws } from './draws.js';
import type { Boundary } from './process.js';
import type { SimWorld } from './world.js';

/** Lives that a seed with crashes ends by one; the next one runs on. */
const MAX_CRASHES = 6;

type CrashCondition = (boundary: Boundary) => boolean;

const decoder = new TextDecoder('latin1');

const request =
  (
    kind: 'request' | 'sent' | 'answer',
    matches: (method: string, url: string) => boolean,
  ): CrashCondition =>
  (boundary) =>
    boundary.kind === kind && matches(boundary.request.method, boundary.request.url);

const writes =
  (type: string): CrashCondition =>
  (boundary) =>
    boundary.kind === 'append' &&
    boundary.path.endsWith('/journal.log') &&
    decoder.decode(boundary.bytes).includes(`"type":"${type}"`);

const isPlace = (method: string, url: string): boolean =>
  method === 'POST' && url.includes('/v2/futures/order');
const isCancel = (method: string): boolean => method === 'DELETE';
const isOrderQuery = (_: string, url: string): boolean => url.includes('/orders/detail');

/** Where a process can be struck dead, and how many such places it may pass before. */
const CRASH_POINTS: readonly (readonly [string, CrashCondition, number])[] = [
  ['any', () => true, 600],
  ['any early', () => true, 60],
  ['before INTENT', writes('intent'), 6],
  ['before ATTEMPT', writes('attempt'), 6],
  ['before the bytes leave', request('request', isPlace), 6],
  ['after the bytes left', request('sent', isPlace), 6],
  ['with the answer read', request('answer', isPlace), 6],
  ['before OUTCOME', writes('outcome'), 6],
  ['before UPDATE', writes('update'), 6],
  ['before a cancel leaves', request('request', isCancel), 3],
  ['after a cancel left', request('sent', isCancel), 3],
  ['with a look answered', request('answer', isOrderQuery), 8],
  ['sync', ({ kind }) => kind === 'sync', 80],
  ['synced', ({ kind }) => kind === 'synced', 80],
];

/** When the process of this number is struck dead. */
export function crashPointOf(world: SimWorld, number: number): CrashCondition {
  const draws: Draws = world.plan.draws.of(`death ${number}`);
  if (number > MAX_CRASHES) return never;
  const [, when, most] = draws.pick(CRASH_POINTS, 'place');
  let left = draws.between(1, most, 'count');
  return (boundary) => {
    if (!world.isOn('crash') || !when(boundary)) return false;
    left -= 1;
    return left === 0;
  };
}

const never: CrashCondition = () => false;
