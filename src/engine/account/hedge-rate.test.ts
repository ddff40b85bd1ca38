import { describe, expect, it } from 'vitest';
import { fixedFromText, textFromFixed, type Ratio } from '../../core/fixed/fixed.js';
import type { OrderReport } from '../../core/order.js';
import type { EffectSink } from '../../execution/effects.js';
import { HedgeRate, type ConfiguredHedgeRate } from './hedge-rate.js';

const DAY = 86_400_000;
const START = Date.parse('2026-06-01T00:00:00Z');

function hedgeRateOf(configured: ConfiguredHedgeRate | undefined, journaling = true) {
  const stamp = { venueTime: START, monotonic: 0 };
  const warnings: string[] = [];
  const notify: EffectSink['notify'] = ({ text }) => void warnings.push(text);
  // Both are all that a rate asks of the effects.
  const effects = { journaling, notify } as Partial<EffectSink> as EffectSink;
  const rate = new HedgeRate({ configured, stamp, effects });
  rate.start();
  return { rate, stamp, warnings };
}

/** An INR order as a reply about it shows it. */
const seen = (rate: HedgeRate, hedgeRate: string, updatedAt: number | undefined): void => {
  const order = { currency: 'INR', hedgeRate: fixedFromText<'ratio'>(hedgeRate), updatedAt };
  rate.onReply({
    to: 'find-order',
    outcome: { kind: 'yes', value: order as Partial<OrderReport> as OrderReport },
  });
};

const configured = (value: string, asOf?: number): ConfiguredHedgeRate => ({
  value: fixedFromText(value),
  ...(asOf !== undefined && { asOf }),
});
const text = (value: Ratio | undefined) => value && textFromFixed(value);

describe('the INR rate', () => {
  it('follows the newest own order, and not an older one', () => {
    const { rate } = hedgeRateOf(configured('90'));
    seen(rate, '90.5', START + 2_000);
    seen(rate, '80', START + 1_000);
    expect([text(rate.current), rate.at]).toEqual(['90.5', START + 2_000]);
  });

  it('of the config stays while it is newer than each own row', () => {
    const { rate } = hedgeRateOf(configured('90', START - DAY));
    seen(rate, '85', START - 2 * DAY);
    expect([text(rate.current), rate.at]).toEqual(['90', START - DAY]);
  });

  it('of the config without a time is as old as the run, and yields to any own row', () => {
    const { rate } = hedgeRateOf(configured('90'));
    expect(rate.at).toBe(START);
    seen(rate, '85', START - 9 * DAY);
    expect([text(rate.current), rate.at]).toEqual(['85', START - 9 * DAY]);
  });

  it('is the entry rate of an open position where no order is newer', () => {
    const { rate } = hedgeRateOf(configured('90'));
    const position = { entryHedgeRate: fixedFromText<'ratio'>('91'), openedAt: START + 5_000 };
    rate.onSnapshot({
      kind: 'positions',
      currency: 'INR',
      startedAt: 0,
      positions: [position as never],
    });
    expect(text(rate.current)).toBe('91');
  });

  it('without a time proves no age, and is ignored', () => {
    const { rate } = hedgeRateOf(undefined);
    seen(rate, '85', undefined);
    expect([rate.current, rate.at]).toEqual([undefined, undefined]);
  });

  it('warns at a drift of 1 %, once for each further 1 %', () => {
    const { rate, warnings } = hedgeRateOf(configured('90'));
    seen(rate, '90.89', START + 1);
    expect(warnings).toEqual([]);
    seen(rate, '90.9', START + 2);
    seen(rate, '91.2', START + 3);
    expect(warnings).toEqual([
      'the venue values INR at 90.9 per USDT (2026-06-01T00:00:00.002Z), not at 90: equity and limits ' +
        'follow it, sizes follow after a restart with this venue.inr_rate.value',
    ]);
    seen(rate, '92', START + 4);
    expect(warnings).toHaveLength(2);
  });

  it('does not follow a row that is 10 % away, and says so once', () => {
    const { rate, warnings } = hedgeRateOf(configured('90'));
    seen(rate, '98.99', START + 1);
    seen(rate, '9000', START + 2);
    seen(rate, '9001', START + 3);
    seen(rate, '89.09', START + 4);
    expect([text(rate.current), rate.at, warnings.length]).toEqual(['98.99', START + 1, 3]);
    expect(warnings[1]).toBe(
      'the venue values INR at 9000 per USDT (2026-06-01T00:00:00.002Z), 10 % or more from 98.99: limits ' +
        'do not follow such a jump. If the venue is right, set venue.inr_rate.value to its rate and restart',
    );
    seen(rate, '89.1', START + 5);
    expect([text(rate.current), rate.at]).toEqual(['89.1', START + 5]);
  });

  it('of a simulation follows each row and never ages', () => {
    const { rate, stamp } = hedgeRateOf(configured('90'), false);
    seen(rate, '60', START + 1);
    stamp.venueTime += 30 * DAY;
    expect([text(rate.current), rate.at]).toEqual(['60', stamp.venueTime]);
  });
});
