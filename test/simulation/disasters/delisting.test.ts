import { describe, expect, it } from 'vitest';
import { DisasterWorld } from './disaster-world.js';

/** An hour of the venue, which runs 60 times as fast. */
const HOUR_MS = 60_000;
const SPEED = 60;
const NOT_FOUND = {
  status: 404,
  headers: { 'content-type': 'application/json' },
  body: '{"success":false,"errors":[{"code":404,"text":"future asset not found"}]}',
};

/** The venue lists BTCUSDT no more. */
function unlist(disaster: DisasterWorld): void {
  disaster.process.instead = ({ url, method }) =>
    method === 'GET' && /\/futures\/BTCUSDT\?/.test(url) ? NOT_FOUND : undefined;
}

const isRestricted = (disaster: DisasterWorld): boolean =>
  disaster.lines(/BTCUSDT is restricted \(REDUCE_ONLY\) by R07/).length > 0;

describe('a delisting of a held symbol', () => {
  it('is found within an hour and a minute; the position closes after `close_after`', async () => {
    const disaster = await DisasterWorld.holding({
      speed: SPEED,
      more: 'on_delisting: close_after 2h',
    });
    unlist(disaster);
    const from = disaster.now;
    await disaster.until(() => isRestricted(disaster), HOUR_MS + 70_000);
    const found = disaster.now;
    expect(
      disaster.lines(/BTCUSDT is delisted, for 0 s, .* closed in 2 h 0 min/, from),
    ).toHaveLength(1);
    await disaster.run(2 * HOUR_MS - 5_000);
    expect(disaster.position('BTCUSDT')).not.toBe(0);
    expect(disaster.isGuarded).toBe(true);
    await disaster.until(() => disaster.position('BTCUSDT') === 0, 30_000);
    expect(disaster.now - found).toBeLessThan(2 * HOUR_MS + 30_000);
    const { entries } = disaster;
    await disaster.run(HOUR_MS);
    expect(disaster.entries).toBe(entries);
    await disaster.expectCleanReturn();
  });

  it('under `hold` stays open, and ends when the venue lists the symbol again', async () => {
    const disaster = await DisasterWorld.holding({ speed: SPEED, more: 'on_delisting: hold' });
    const held = disaster.position('BTCUSDT');
    unlist(disaster);
    await disaster.until(() => isRestricted(disaster), HOUR_MS + 70_000);
    disaster.process.instead = () => undefined;
    await disaster.run(2 * HOUR_MS);
    expect(disaster.lines(/BTCUSDT is listed again/)).toHaveLength(1);
    expect(disaster.bot.engine.facts.mode('BTCUSDT')).toBe('TRADING');
    expect(disaster.position('BTCUSDT')).toBe(held);
    await disaster.expectCleanReturn();
  });

  it('one answer without the symbol changes nothing', async () => {
    const disaster = await DisasterWorld.holding({ speed: SPEED });
    let answers = 0;
    disaster.process.instead = ({ url }) =>
      /\/futures\/BTCUSDT\?/.test(url) && (answers += 1) === 1 ? NOT_FOUND : undefined;
    await disaster.run(2 * HOUR_MS);
    expect(answers).toBeGreaterThan(1);
    expect(isRestricted(disaster)).toBe(false);
    await disaster.expectCleanReturn();
  });

  it('announced by the refusal of an entry restricts the symbol at once', async () => {
    const disaster = await DisasterWorld.started();
    await disaster.control('delist', { symbol: 'BTCUSDT', delisting: true });
    await disaster.until(() => isRestricted(disaster), 180_000);
    const attempts = disaster.lines(/rejected/).length;
    await disaster.run(600_000);
    expect(disaster.lines(/rejected/).length).toBe(attempts);
    expect(disaster.position('BTCUSDT')).toBe(0);
    await disaster.expectCleanReturn();
  });
});
