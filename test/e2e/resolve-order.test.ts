import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccountDesk, typing } from '../harness/account-desk.js';
import { sluice } from '../harness/command-line.js';

const PLACE = 'POST /fapi/v2/futures/order';
const BUY = 'order place buy BTCUSDT --quantity 0.002';

let desk: AccountDesk;
beforeEach(async () => {
  desk = await AccountDesk.open({
    limits: false,
    risk: '{ preset: standard, duplicate_window_ms: 1 }',
  });
});
afterEach(async () => {
  await desk.close();
});

/** An order whose every request, its fence's too, was lost before the venue had it. */
async function unprovedOrder(): Promise<string> {
  await desk.faults([{ on: PLACE, fault: 'req_lost', count: 10_000 }]);
  const { exitCode, json } = await desk.ask(`${BUY} --wait 1s --yes`);
  expect([exitCode, json.outcome, json.order.status]).toEqual([1, 'unknown', 'unknown']);
  return json.order.client_order_id as string;
}

const storyOf = async (id: string) => {
  const { stdout } = await sluice(['why', id, desk.stateDir, '--json']);
  return JSON.parse(stdout).answers[0];
};

describe('sluice order resolve --never-landed', () => {
  it('ends an order that nobody can prove, durably, though the session could not start for it', async () => {
    const id = await unprovedOrder();
    const { exitCode, json, stderr } = await desk.ask(`order resolve ${id} --never-landed --yes`);
    expect([exitCode, json.outcome, json.order.status]).toEqual([0, 'resolved', 'canceled']);
    expect(stderr).toContain('if it landed after all');
    expect(stderr).toContain('--adopt BTCUSDT');
    const story = await storyOf(id);
    expect(story).toMatchObject({
      state: 'canceled',
      filled_quantity: '0',
      end: { reason: 'a person says that it never landed' },
    });
    await desk.faults([]);
    const next = await desk.ask(`${BUY} --yes`);
    expect([next.exitCode, next.json.order.status]).toEqual([0, 'filled']);
    expect(desk.exchange.allOrders()).toHaveLength(1);
    const replay = await sluice(['replay', desk.stateDir, '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
    const again = await desk.say(`order resolve ${id} --never-landed --yes`);
    expect(again.exitCode).toBe(4);
    expect(again.stderr).toContain('it is canceled');
  });

  it('is confirmed by its own word, and refused without --never-landed', async () => {
    const id = await unprovedOrder();
    const line = `order resolve --client-id ${id}`;
    const bare = await desk.say(line);
    expect([bare.exitCode, bare.stderr]).toEqual([2, expect.stringContaining('--never-landed')]);
    const nobody = await desk.say(`${line} --never-landed`);
    expect([nobody.exitCode, nobody.stderr]).toEqual([2, expect.stringContaining('add --yes')]);
    const typedYes = await desk.say(`${line} --never-landed`, { keyboard: typing('yes') });
    expect(typedYes.exitCode).toBe(1);
    expect((await storyOf(id)).end).toBeUndefined();
    const typed = await desk.say(`${line} --never-landed`, { keyboard: typing('never-landed') });
    expect(typed.exitCode).toBe(0);
    expect((await storyOf(id)).state).toBe('canceled');
  });

  it('of what the venue has, or the journal does not, is refused with what to do instead', async () => {
    const rest = await desk.ask('order place buy BTCUSDT --quantity 0.002 --limit 56000 --yes');
    const id = rest.json.order.client_order_id;
    const landed = await desk.say(`order resolve ${id} --never-landed --yes`);
    expect(landed.exitCode).toBe(4);
    expect(landed.stderr).toContain(`sluice order cancel --client-id ${id}`);
    const unknown = await desk.say(`order resolve nobody-1 --never-landed --yes`);
    expect(unknown.exitCode).toBe(1);
    expect(unknown.stderr).toContain('has no order nobody-1');
    expect((await desk.ask(`order show --client-id ${id}`)).json.order.status).toBe('created');
  });
});
