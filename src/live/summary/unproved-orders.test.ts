import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import { positionRow } from '../../../test/support/builders/position-row.js';
import { CONFLICT, unknown } from '../../../test/support/rigs/protocol-rig.js';
import { summarise } from './run-summary.js';
import { summaryText } from './run-summary-text.js';
import { unprovedOrders, unprovedText } from './unproved-orders.js';

const textOf = ({ engine }: EngineRig): string =>
  summaryText(summarise(engine, 0, '/state'), engine, { equity: [], colour: false });

/** Long of 1 BTC, and an exit whose id the venue has, but does not show for more than 30 s. */
function withUnprovedExit(): EngineRig {
  const rig = new EngineRig();
  rig.startEngineWithAdopted([positionRow('1')]);
  rig.tick(60_000);
  rig.submit({ side: 'sell', quantity: '1', exit: true });
  rig.answer('place', CONFLICT);
  const { monotonic } = rig;
  while (rig.monotonic - monotonic < 40_000) rig.answerOrderNotFound();
  return rig;
}

describe('the summary of a run', () => {
  it('the summary names an unproved entry, its age, why no fence ends it, and the command that does', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '1' }, 1_000);
    rig.answer('place', unknown());
    const [order] = rig.engine.ledger.all;
    const { monotonic } = rig;
    while (rig.monotonic - monotonic < 1_000) rig.answerOrderQuery(unknown());
    while (rig.monotonic - monotonic < 12_000) rig.answerOrderNotFound();
    const [row] = unprovedOrders(rig.engine);
    const seconds = Math.round((rig.monotonic - monotonic) / 1_000);
    expect(row).toEqual({
      client_order_id: order?.clientOrderId,
      symbol: 'BTCUSDT',
      side: 'buy',
      quantity: '1',
      reduce_only: false,
      state: 'quarantined',
      for_s: seconds,
      fence: 'fences are off',
      holds_entries: false,
    });
    expect(row === undefined ? '' : unprovedText(row)).toBe(
      `entry of BTCUSDT unproved for ${seconds} s`,
    );
    expect(textOf(rig)).toContain('no fence under its id: fences are off');
  });

  it('the summary names an unproved exit, and the symbol whose entries wait for it', () => {
    const rig = withUnprovedExit();
    const summary = summarise(rig.engine, 0, '/state');
    const [row, ...others] = summary.unproved;
    expect(others).toEqual([]);
    expect(row).toMatchObject({ reduce_only: true, state: 'quarantined', holds_entries: true });
    expect(row?.for_s).toBeGreaterThanOrEqual(40);
    const text = textOf(rig);
    expect(text).toContain(`exit of BTCUSDT unproved for ${row?.for_s} s`);
    expect(text).toContain('entries of BTCUSDT wait for it (UNPROVED)');
    expect(text).toContain(`sluice order resolve ${row?.client_order_id} --never-landed`);
  });

  it('the summary omits proved orders', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '1' });
    expect(summarise(rig.engine, 0, '/state').unproved).toEqual([]);
    expect(textOf(rig)).not.toContain('unproved for');
  });
});
