import { expect, it } from 'vitest';
import { ManualTime, memoryLogger, settle } from '../../../test/support/fakes/manual-ports.js';
import type { HttpResponse } from '../../core/ports.js';
import { DeadMan } from './dead-man.js';

function rig(answer: () => Promise<HttpResponse>) {
  const time = new ManualTime();
  const logger = memoryLogger();
  const requests: number[] = [];
  const deadMan = new DeadMan(
    { url: 'https://hc.example/x', everyMs: 60_000 },
    {
      clock: time,
      logger,
      net: {
        request: () => {
          requests.push(time.monotonicMs());
          return answer();
        },
      },
    },
  );
  /** A step a second for so long. */
  const run = async (seconds: number, isFresh: boolean): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      deadMan.step(isFresh);
      await settle();
      await time.advance(1_000);
    }
  };
  return { run, requests, logger };
}

const status = (code: number) => () => Promise.resolve({ status: code, headers: {}, body: '' });

it('the address is requested once in its interval while candles are fresh, and not otherwise', async () => {
  const { run, requests } = rig(status(200));
  await run(10, false);
  await run(150, true);
  await run(600, false);
  await run(1, true);
  expect(requests).toEqual([10_000, 70_000, 130_000, 760_000]);
});

it('a service that fails is one warning, and is requested again', async () => {
  const { run, requests, logger } = rig(status(500));
  await run(200, true);
  expect(requests).toHaveLength(4);
  expect(logger.lines.map(({ message }) => message)).toEqual([
    'notify: the request to notify.dead_man.url fails: it answers 500',
  ]);
});

it('a service that never answers is not requested a second time', async () => {
  const { run, requests } = rig(() => new Promise(() => undefined));
  await run(600, true);
  expect(requests).toHaveLength(1);
});
