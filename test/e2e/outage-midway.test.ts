import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AccountCliRig } from '../support/rigs/account-cli-rig.js';
import { FaultyFront, type Outage } from '../support/rigs/faulty-front.js';

interface FrontedRig {
  readonly rig: AccountCliRig;
  readonly front: FaultyFront;
  readonly orderId: string;
  close(): Promise<void>;
}

/** A person with one resting order, behind a proxy that can fail. */
async function openFronted(): Promise<FrontedRig> {
  const rig = await AccountCliRig.open({ limits: false });
  const { baseUrl } = rig.served.server;
  const front = new FaultyFront(baseUrl);
  const url = await front.listen();
  writeFileSync(rig.config, readFileSync(rig.config, 'utf8').replace(baseUrl, url));
  const { json, stderr } = await rig.runJson(
    'order place buy BTCUSDT --quantity 0.002 --limit 56000 --yes',
  );
  expect(json, stderr).toBeDefined();
  const close = async (): Promise<void> => {
    front.close();
    await rig.close();
  };
  return { rig, front, orderId: json.order.order_id, close };
}

/** One command line while the venue goes down. */
async function runThrough(
  { rig, front }: FrontedRig,
  line: string,
  outage: Outage,
  readsBefore: number,
) {
  Object.assign(front, { outage, readsBefore });
  front.changes.length = 0;
  const result = await rig.runJson(line);
  front.outage = 'none';
  return { ...result, changes: [...front.changes] };
}

type LineOf = (orderId: string) => string;

/** Each command, and the numbers of reads after which the venue goes down: no change has left by then. */
const COMMANDS: readonly (readonly [string, LineOf, readonly number[]])[] = [
  [
    'order place',
    () => 'order place buy BTCUSDT --quantity 0.003 --limit 55000 --wait 3s',
    [1, 2, 3, 4],
  ],
  ['order cancel', (id) => `order cancel ${id} --wait 3s`, [1, 2, 3, 6]],
  [
    'order amend',
    (id) => `order amend ${id} --limit 55500 --quantity 0.002 --wait 3s`,
    [1, 2, 3, 6],
  ],
  ['account leverage', () => 'account leverage set ETHUSDT 3', [1, 2, 4, 5]],
  ['account transfer', () => 'account transfer to-futures 10', [0, 1, 2, 3]],
];
const EVERY_READ = Number.POSITIVE_INFINITY;

describe.concurrent('a venue that goes down while a person trades', () => {
  it.each(COMMANDS)(
    '%s says that nothing was sent, exactly where no change has left',
    async (_name, lineOf, moments) => {
      const fronted = await openFronted();
      const line = `${lineOf(fronted.orderId)} --yes`;
      try {
        for (const [index, reads] of moments.entries()) {
          const outage = index % 2 === 0 ? 'page' : 'cut';
          const run = await runThrough(fronted, line, outage, reads);
          const moment = `${outage} after ${reads} reads: ${run.stderr}`;
          expect([run.exitCode, run.stdout, run.changes], moment).toEqual([1, '', []]);
          expect(run.stderr, moment).toMatch(/nothing was sent/i);
        }
        const { exitCode, stderr, changes } = await runThrough(fronted, line, 'cut', EVERY_READ);
        expect([exitCode, changes.length > 0], stderr).toEqual([1, true]);
        expect(stderr).not.toMatch(/nothing was sent/i);
      } finally {
        await fronted.close();
      }
    },
    240_000,
  );

  it('a start that repeats the cancel of an earlier command does not say that nothing was sent', async () => {
    const fronted = await openFronted();
    const line = `order cancel ${fronted.orderId} --yes`;
    try {
      await runThrough(fronted, `${line} --wait 1s`, 'cut', EVERY_READ);
      const { exitCode, stderr, changes } = await runThrough(fronted, line, 'cut', EVERY_READ);
      expect([exitCode, changes.length > 0], stderr).toEqual([1, true]);
      expect(stderr).toMatch(/The command itself was not sent\. Requests of its start were/);
      expect((await fronted.rig.runJson(line)).exitCode).toBe(0);
    } finally {
      await fronted.close();
    }
  }, 120_000);
});
