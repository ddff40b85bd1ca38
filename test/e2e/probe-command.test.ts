import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeScheduler } from '../../src/io/node/node-scheduler.js';
import { fixedFromText } from '../../src/core/fixed/fixed.js';
import type { Scheduler } from '../../src/core/ports.js';
import { parseVenueProfile } from '../../src/sandbox/behavior/venue-profile.js';
import { AccountCliRig, typedLines } from '../support/rigs/account-cli-rig.js';
import { isField, waitForReadLag } from '../support/builders/quirks.js';

let rig: AccountCliRig;
const open = async (): Promise<AccountCliRig> =>
  AccountCliRig.open({
    clock: { kind: 'fast', factor: 60 },
    switches: { jsonPing: 'pong', idleClose: 'never' },
  });
beforeEach(async () => {
  rig = await open();
});
afterEach(async () => {
  await rig.close();
});

/** The sandbox never closes an idle connection, so the probe need not wait for it. */
const IDLE_MS = 45_000;
const hurried: Scheduler = {
  after: (delayMs, run) => nodeScheduler.after(delayMs === IDLE_MS ? 100 : delayMs, run),
};

/** The field quirks that show without an order, in the order of the questions. */
const SEEN_BY_READS = [
  'unknown-symbol-empty',
  'interval-in-text',
  'zero-ohlc',
  'no-trading-fee',
  'mark-omitted',
  'minute-lag',
];

describe('sluice probe', () => {
  it('the probe reads within the limits of the venue and writes a profile', async () => {
    const out = join(rig.stateDir, '..', 'venue-profile.json');
    const { exitCode, json, stdout } = await rig.runJson(`probe --out ${out}`, {
      scheduler: hurried,
    });
    expect(exitCode).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    const profile = parseVenueProfile(readFileSync(out, 'utf8'));
    expect(profile).toEqual(json.profile);
    expect(profile.assumptions).toMatchObject({ 'wire-json-ping': 'pong' });
    expect(profile.quirks).toEqual([...(isField ? SEEN_BY_READS : []), 'no-idle-close']);
    expect(profile.notes).toContainEqual(expect.stringMatching(/^wrong-key: HTTP 401/));
    expect(json.not_asked).toContain('exchange-funding-instant');
    expect(rig.exchange.allOrders()).toEqual([]);
  });

  it('minimum orders are sent only after the typed confirmation', async () => {
    const refused = await rig.run('probe --min-size');
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('real orders at http://127.0.0.1');
    expect(refused.stderr).toContain('not confirmed: nothing was sent');
    const other = await rig.run('probe --min-size', { keyboard: typedLines('yes') });
    expect(other.exitCode).toBe(1);
    expect((await rig.run('probe --min-size --yes')).exitCode).toBe(2);
    expect(rig.exchange.allOrders()).toEqual([]);
  });

  it('a symbol with an open order or position is refused', async () => {
    rig.exchange.setLeverage('BTCUSDT', 'USDT', fixedFromText('2'));
    rig.exchange.place({
      terms: {
        symbol: 'BTCUSDT',
        currency: 'USDT',
        side: 'buy',
        type: 'limit',
        quantity: fixedFromText('0.001'),
        price: fixedFromText('50000'),
        reduceOnly: false,
      },
    });
    await waitForReadLag();
    const cliResult = await rig.run('probe --min-size', { keyboard: typedLines('minimum') });
    expect(cliResult.exitCode).toBe(4);
    expect(cliResult.stderr).toContain('BTCUSDT has a position or an order open');
  });
});
