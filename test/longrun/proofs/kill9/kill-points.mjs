// When a life ends: somewhere in its start, anywhere, or at a named place of an order's way.
import { closeSync, openSync, readSync, statSync } from 'node:fs';

const RECORDS = ['intent', 'attempt', 'outcome', 'update'];

/** Draws the moment of one kill. The words are what the report counts by. */
export function drawKillPoint(random) {
  const kind = random.pick([
    'starting',
    'anytime',
    'record',
    'record',
    'sent',
    'sent',
    'held',
    'held',
    'delivered',
    'answered',
    'passed',
  ]);
  switch (kind) {
    case 'starting':
      return { kind, afterMs: random.below(1_200) };
    case 'anytime':
      return { kind, afterMs: random.below(3_000) };
    case 'record':
      return {
        kind,
        type: random.pick(RECORDS),
        afterMs: random.below(4),
        nth: 1 + random.below(3),
      };
    case 'held':
      return { kind, holdMs: 20 + random.below(2_500), nth: 1 + random.below(3) };
    default:
      return {
        kind,
        of: random.pick(['place', 'place', 'place', 'cancel']),
        nth: 1 + random.below(3),
      };
  }
}

/** How long a moment may keep us waiting once the daemon trades, before it is killed anyhow. */
const PATIENCE_MS = 5_000;

/** Arms a moment on a life; `kill` is called once at the most. Answers how to disarm it. */
export function armKillPoint(moment, { life, tap, journalPath, kill }) {
  const timers = [];
  let [seen, done] = [0, false];
  const killOnce = (afterMs = 0) => {
    if (done) return;
    done = true;
    if (afterMs === 0) kill();
    else timers.push(setTimeout(kill, afterMs));
  };
  const nth = () => ++seen >= moment.nth;
  const of = moment.of ?? 'place';
  if (moment.kind === 'starting') timers.push(setTimeout(killOnce, moment.afterMs));
  void life.trading.then(() => {
    if (done) return;
    if (moment.kind === 'anytime') timers.push(setTimeout(killOnce, moment.afterMs));
    else timers.push(setTimeout(killOnce, PATIENCE_MS));
    if (moment.kind === 'record') {
      const recordText = `"type":"${moment.type}"`;
      timers.push(
        follow(
          journalPath,
          (text) => text.includes(recordText) && nth() && killOnce(moment.afterMs),
        ),
      );
    }
    tap.watch = observerOf(moment, { of, nth, strike: killOnce });
  });
  return () => {
    done = true;
    tap.watch = undefined;
    for (const timer of timers) clearTimeout(timer);
  };
}

function observerOf(moment, { of, nth, strike }) {
  switch (moment.kind) {
    // The daemon has written, the venue has nothing yet.
    case 'sent':
      return { onRequest: (kind) => void (kind === of && nth() && strike()) };
    // The same, and the request lands much later.
    case 'held':
      return {
        onRequest: (kind) => {
          if (kind !== of || !nth()) return 0;
          strike();
          return moment.holdMs;
        },
      };
    case 'delivered':
      return { onDelivered: (kind) => void (kind === of && nth() && strike()) };
    case 'answered':
      return {
        onAnswer: (kind) => {
          if (kind !== of || !nth()) return false;
          strike();
          return true;
        },
      };
    case 'passed':
      return { onPassed: (kind) => void (kind === of && nth() && strike(1)) };
    default:
      return undefined;
  }
}

/** Tells what is appended to a file, about each millisecond. */
function follow(path, onText) {
  let at = sizeOf(path);
  return setInterval(() => {
    const size = sizeOf(path);
    if (size <= at) {
      at = size;
      return;
    }
    const bytes = Buffer.alloc(size - at);
    const file = openSync(path, 'r');
    readSync(file, bytes, 0, bytes.length, at);
    closeSync(file);
    at = size;
    onText(bytes.toString('latin1'));
  }, 1);
}

const sizeOf = (path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
