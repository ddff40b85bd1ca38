import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeScheduler } from '../../src/app/ports/node-scheduler.js';
import { fixedFromText } from '../../src/core/fixed.js';
import type { Scheduler } from '../../src/core/ports.js';
import { parseVenueProfile } from '../../src/sandbox/venue-profile.js';
import { AccountDesk, typing } from '../harness/account-desk.js';
import { isField, readsCatchUp } from '../harness/quirks.js';

let desk: AccountDesk;
const open = async (): Promise<AccountDesk> =>
  AccountDesk.open({
    clock: { kind: 'fast', factor: 60 },
    switches: { jsonPing: 'pong', idleClose: 'never' },
  });
beforeEach(async () => {
  desk = await open();
});
afterEach(async () => {
  await desk.close();
});

/** The sandbox never ends an idle connection: there is no need to wait for it. */
const IDLE_MS = 45_000;
const hurried: Scheduler = {
  after: (delayMs, run) => nodeScheduler.after(delayMs === IDLE_MS ? 100 : delayMs, run),
};

/** Of the quirks of the field, those that show without an order, in the order that they are asked for. */
const SEEN_BY_READS = [
  'unknown-symbol-empty',
  'interval-in-text',
  'zero-ohlc',
  'no-trading-fee',
  'mark-omitted',
  'minute-lag',
];

describe('sluice probe', () => {
  it('asks by reads within the limits of the venue, and writes a profile', async () => {
    const out = join(desk.stateDir, '..', 'venue-profile.json');
    const { exitCode, json, stdout } = await desk.ask(`probe --out ${out}`, { scheduler: hurried });
    expect(exitCode).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    const profile = parseVenueProfile(readFileSync(out, 'utf8'));
    expect(profile).toEqual(json.profile);
    expect(profile.assumptions).toMatchObject({ 'wire-json-ping': 'pong' });
    expect(profile.quirks).toEqual([...(isField ? SEEN_BY_READS : []), 'no-idle-close']);
    expect(profile.notes).toContainEqual(expect.stringMatching(/^wrong-key: HTTP 401/));
    expect(json.not_asked).toContain('exchange-funding-instant');
    expect(desk.exchange.allOrders()).toEqual([]);
  });

  it('sends minimum orders only after the typed word', async () => {
    const refused = await desk.say('probe --min-size');
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('real orders at http://127.0.0.1');
    expect(refused.stderr).toContain('not confirmed: nothing was sent');
    const other = await desk.say('probe --min-size', { keyboard: typing('yes') });
    expect(other.exitCode).toBe(1);
    expect((await desk.say('probe --min-size --yes')).exitCode).toBe(2);
    expect(desk.exchange.allOrders()).toEqual([]);
  });

  it('keeps away from a symbol with something open', async () => {
    desk.exchange.setLeverage('BTCUSDT', 'USDT', fixedFromText('2'));
    desk.exchange.place({
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
    await readsCatchUp();
    const spoken = await desk.say('probe --min-size', { keyboard: typing('minimum') });
    expect(spoken.exitCode).toBe(4);
    expect(spoken.stderr).toContain('BTCUSDT has a position or an order open');
  });
});
