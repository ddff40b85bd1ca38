import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountCliRig } from '../support/rigs/account-cli-rig.js';
import { FaultyFront } from '../support/rigs/faulty-front.js';

describe.each(['cut', 'page', 'hang'] as const)(
  'an outage (%s) at a person who trades',
  (outage) => {
    let rig: AccountCliRig;
    let front: FaultyFront;
    beforeAll(async () => {
      rig = await AccountCliRig.open({
        limits: false,
        risk: '{ preset: standard, duplicate_window_ms: 1 }',
      });
      const { baseUrl } = rig.served.server;
      front = new FaultyFront(baseUrl);
      const url = await front.listen();
      writeFileSync(rig.config, readFileSync(rig.config, 'utf8').replace(baseUrl, url));
    }, 60_000);
    afterAll(async () => {
      front.close();
      await rig.close();
    });

    it('each command ends with exit code 1, changes nothing, and is done when it is repeated', async () => {
      const rest = 'order place buy BTCUSDT --quantity 0.002 --limit 56000 --yes';
      const { order } = (await rig.runJson(rest)).json;
      const place = 'order place buy BTCUSDT --quantity 0.003 --limit 55000 --yes --once k1';
      const cancel = `order cancel ${order.order_id} --yes`;
      const leverage = 'account leverage set ETHUSDT 3 --yes';
      const transfer = 'account transfer to-futures 10 --yes';

      front.outage = outage;
      for (const line of [
        place,
        cancel,
        `order amend ${order.order_id} --limit 55500 --quantity 0.002 --yes`,
        leverage,
      ]) {
        const { exitCode, stdout, stderr } = await rig.runJson(line);
        expect([exitCode, stdout], stderr).toEqual([1, '']);
        expect(stderr).toMatch(
          /cannot be read: .*Nothing was sent: the same command may be repeated/,
        );
      }
      const unmoved = await rig.runJson(transfer);
      expect([unmoved.exitCode, unmoved.stdout], unmoved.stderr).toEqual([1, '']);
      const { exchange } = rig;
      expect(exchange.allOrders().map(({ orderId, status }) => [orderId, status])).toEqual([
        [order.order_id, 'created'],
      ]);
      expect(exchange.leverage('ETHUSDT', 'USDT')).toBeUndefined();

      front.outage = 'none';
      for (const line of [place, place, cancel, leverage, transfer]) {
        const { exitCode, stderr } = await rig.runJson(line);
        expect(exitCode, `${line}: ${stderr}`).toBe(0);
      }
      expect(exchange.allOrders().map(({ status }) => status)).toEqual(['canceled', 'created']);
      const { json } = await rig.runJson('account transactions');
      expect(json.transactions).toHaveLength(1);
    }, 180_000);
  },
);

it('a flatten while every read fails names the position of the journal, and is done after it', async () => {
  const rig = await AccountCliRig.open({ limits: false });
  appendFileSync(rig.config, 'stop_timeout: 2s\n');
  try {
    const { stderr: placed, exitCode: bought } = await rig.run(
      'order place buy BTCUSDT --quantity 0.004 --yes',
    );
    expect(bought, placed).toBe(0);
    await rig.faults([{ on: '*', fault: 'html_5xx', count: 100_000 }]);
    const kill = await rig.run('kill --level flatten --timeout 3s');
    expect(kill.exitCode, kill.stderr).toBe(1);
    expect(kill.stderr).toContain('still open: position 0.004 BTCUSDT');
    expect(kill.stderr).toContain('what is open at the venue is not known');

    const signals: (() => void)[] = [];
    const run = await rig.run('run', {
      onSignal: (listener) => {
        signals.push(() => {
          listener('SIGTERM');
        });
        return () => undefined;
      },
      stderr: (text) => {
        if (text.includes('Next try in')) for (const send of signals) send();
      },
    });
    expect(run.exitCode, run.stderr).not.toBe(0);
    expect(`${run.stdout}${run.stderr}`).not.toContain('No order and no position');

    await rig.faults([]);
    const done = await rig.runJson('kill --level flatten');
    expect(done.exitCode, done.stderr).toBe(0);
    expect(rig.exchange.positions('USDT')).toEqual([]);
  } finally {
    await rig.close();
  }
}, 120_000);
