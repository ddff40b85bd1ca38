import { expect, test } from 'vitest';
import type { Scheduler } from '../../core/ports.js';
import type { FundingRecorder } from './funding-recorder.js';
import { RecordLoop } from './record-loop.js';

type Failure = Awaited<ReturnType<FundingRecorder['read']>>;
type Step = () => Promise<Failure>;

/** Runs the readings one after another, and stops after the last. Waits take no time. */
async function run(steps: readonly Step[], symbols: readonly string[] = ['BTCUSDT']) {
  const notes: string[] = [];
  const waits: number[] = [];
  const asked: string[] = [];
  const scheduler: Scheduler = {
    after(delayMs, due) {
      if (delayMs === 60_000) return () => undefined;
      waits.push(delayMs);
      const timer = setImmediate(due);
      return () => {
        clearImmediate(timer);
      };
    },
  };
  const left = [...steps];
  const loop: RecordLoop = new RecordLoop({
    scheduler,
    symbols,
    funding: {
      read: (symbol) => {
        asked.push(symbol);
        const step = left.shift();
        if (left.length === 0) loop.stop();
        return step === undefined ? Promise.resolve(undefined) : step();
      },
      settle: () => Promise.resolve(),
      dueInMs: () => undefined,
    },
    checkSize: () => Promise.resolve(),
    everyMs: 300_000,
    candlesEveryMs: 900_000,
    onEvent: (event) => {
      if (event.event === 'note') notes.push(event.text);
    },
    onStatus: () => undefined,
  });
  await loop.run();
  return { notes, waits, asked, failures: loop.failures };
}

const read: Step = () => Promise.resolve(undefined);
const down: Step = () =>
  Promise.resolve({ kind: 'unknown', cause: 'getaddrinfo EAI_AGAIN', sent: false });
const full: Step = () =>
  Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' }));

test('an outage is named once, tried again after 10 s, and its end is named', async () => {
  const { notes, waits, failures } = await run([read, down, down, read]);
  expect(notes).toEqual([
    'venue: it does not name its rates (getaddrinfo EAI_AGAIN); it is tried again',
    'venue: works again',
  ]);
  expect(waits.filter((wait) => wait === 10_000)).toHaveLength(2);
  expect(failures).toEqual([]);
});

test('a full disk is named with its remedy, and the recorder goes on', async () => {
  const { notes } = await run([full, full, read]);
  expect(notes).toEqual([
    'funding: the disk is full: free some space (no space left); it is tried again',
    'funding: works again',
  ]);
});

test('a recorder that ends during an outage names the work that is left', async () => {
  const { failures } = await run([read, down]);
  expect(failures).toEqual(['venue: it does not name its rates (getaddrinfo EAI_AGAIN)']);
});

test('a symbol that the venue does not list holds up no other symbol', async () => {
  const unlisted: Step = () =>
    Promise.resolve({ kind: 'no', status: 404, text: 'asset not found' } as Failure);
  const { asked, failures } = await run([unlisted, read], ['NOPEUSDT', 'BTCUSDT']);
  expect(asked).toEqual(['NOPEUSDT', 'BTCUSDT']);
  expect(failures).toEqual(['NOPEUSDT: the venue refuses its rate (HTTP 404: asset not found)']);
});

test('an error that no repetition mends ends the recorder', async () => {
  await expect(run([() => Promise.reject(new TypeError('a defect')), read])).rejects.toThrow(
    'a defect',
  );
});
