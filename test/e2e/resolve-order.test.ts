import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccountCliRig, typedLines } from '../support/rigs/account-cli-rig.js';
import { runSluice } from '../support/rigs/cli-runner.js';

const PLACE = 'POST /fapi/v2/futures/order';
const BUY = 'order place buy BTCUSDT --quantity 0.002';

let rig: AccountCliRig;
beforeEach(async () => {
  rig = await AccountCliRig.open({
    limits: false,
    risk: '{ preset: standard, duplicate_window_ms: 1 }',
  });
});
afterEach(async () => {
  await rig.close();
});

/** An order whose every request, also that of its fence, was lost before the venue. */
async function unknownOrder(): Promise<string> {
  await rig.faults([{ on: PLACE, fault: 'req_lost', count: 10_000 }]);
  const { exitCode, json } = await rig.runJson(`${BUY} --wait 1s --yes`);
  expect([exitCode, json.outcome, json.order.status]).toEqual([1, 'unknown', 'unknown']);
  return json.order.client_order_id as string;
}

const traceOf = async (id: string) => {
  const { stdout } = await runSluice(['why', id, rig.stateDir, '--json']);
  return JSON.parse(stdout).answers[0];
};

describe('sluice order resolve --never-landed', () => {
  it('an unprovable order is ended durably, though the session could not start because of it', async () => {
    const id = await unknownOrder();
    const { exitCode, json, stderr } = await rig.runJson(
      `order resolve ${id} --never-landed --yes`,
    );
    expect([exitCode, json.outcome, json.order.status]).toEqual([0, 'resolved', 'canceled']);
    expect(stderr).toContain('if it landed after all');
    expect(stderr).toContain('--adopt BTCUSDT');
    const trace = await traceOf(id);
    expect(trace).toMatchObject({
      state: 'canceled',
      filled_quantity: '0',
      end: { reason: 'a person says that it never landed' },
    });
    await rig.faults([]);
    const next = await rig.runJson(`${BUY} --yes`);
    expect([next.exitCode, next.json.order.status]).toEqual([0, 'filled']);
    expect(rig.exchange.allOrders()).toHaveLength(1);
    const replay = await runSluice(['replay', rig.stateDir, '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
    const again = await rig.run(`order resolve ${id} --never-landed --yes`);
    expect(again.exitCode).toBe(4);
    expect(again.stderr).toContain('it is canceled');
  });

  it('the command needs its own confirmation and is refused without --never-landed', async () => {
    const id = await unknownOrder();
    const line = `order resolve --client-id ${id}`;
    const bare = await rig.run(line);
    expect([bare.exitCode, bare.stderr]).toEqual([2, expect.stringContaining('--never-landed')]);
    const unknownId = await rig.run(`${line} --never-landed`);
    expect([unknownId.exitCode, unknownId.stderr]).toEqual([
      2,
      expect.stringContaining('add --yes'),
    ]);
    const typedYes = await rig.run(`${line} --never-landed`, { keyboard: typedLines('yes') });
    expect(typedYes.exitCode).toBe(1);
    expect((await traceOf(id)).end).toBeUndefined();
    const typed = await rig.run(`${line} --never-landed`, { keyboard: typedLines('never-landed') });
    expect(typed.exitCode).toBe(0);
    expect((await traceOf(id)).state).toBe('canceled');
  });

  it('an order that the venue has, or that the journal lacks, is refused with the remedy', async () => {
    const rest = await rig.runJson('order place buy BTCUSDT --quantity 0.002 --limit 56000 --yes');
    const id = rest.json.order.client_order_id;
    const landedResult = await rig.run(`order resolve ${id} --never-landed --yes`);
    expect(landedResult.exitCode).toBe(4);
    expect(landedResult.stderr).toContain(`sluice order cancel --client-id ${id}`);
    const unknown = await rig.run(`order resolve unknown-1 --never-landed --yes`);
    expect(unknown.exitCode).toBe(1);
    expect(unknown.stderr).toContain('has no order unknown-1');
    expect((await rig.runJson(`order show --client-id ${id}`)).json.order.status).toBe('created');
  });
});
