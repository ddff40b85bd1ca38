// Two folders, one account name: copies that trade at the same time, and a backup that is put back.
import { must } from './must.mjs';
import { startDaemon } from './daemon.mjs';
import { firstToHalt, keepsRunning, mustExplain } from './halt.mjs';

/** A bot trades, ends (by a stop or a kill), and its folder is copied. */
async function tradeAndCopy(stage, config, { run, to }) {
  const daemon = startDaemon({ config });
  await daemon.trades();
  await stage.untilOrders(3);
  await (run % 2 === 0 ? daemon.stop() : daemon.kill());
  stage.copy('state', to);
}

/** Odd runs start both at once, each deciding for itself; even ones the second after two orders. */
export async function copiedFolders(stage, run) {
  const config = stage.config('state');
  await tradeAndCopy(stage, config, { run, to: 'copy' });
  const copy = stage.config('copy');
  const before = await stage.orders();
  const startedMs = await stage.venueMs();
  const first = startDaemon({ config });
  if (run % 2 === 0) {
    await first.trades();
    await stage.untilOrders(before.length + 2);
  }
  const twins = [first, startDaemon({ config: copy })];
  const { one, other } = await firstToHalt(twins);
  const minutes = ((await stage.venueMs()) - startedMs) / 60_000;
  const since = new Set(idsOf(await stage.orders()));
  for (const id of idsOf(before)) since.delete(id);
  mustExplain(one, since);
  await other.stop();
  must((await one.stop()) === 1, 'a halted run ends with code 1');
  mustBeOnce(await stage.orders());
  await keepsRunning(stage, one === first ? config : copy, one);
  return { halted_after_venue_minutes: minutes };
}

/** The folder as it was some orders ago is put in the place of the newer one. */
export async function restoredBackup(stage, run) {
  const config = stage.config('state');
  await tradeAndCopy(stage, config, { run, to: 'backup' });
  const before = await stage.orders();
  const bot = startDaemon({ config });
  await bot.trades();
  await stage.untilOrders(before.length + 3);
  await (run % 2 === 0 ? bot.stop() : bot.kill());
  stage.restore('backup', 'state');
  const missing = new Set(idsOf(await stage.orders()));
  for (const id of idsOf(before)) missing.delete(id);
  let one;
  // Each start halts until a person has said a word.
  for (let start = 1; start <= 2; start += 1) {
    ({ one } = await firstToHalt([startDaemon({ config })]));
    mustExplain(one, missing);
    must((await one.stop()) === 1, 'a halted run ends with code 1');
  }
  must(
    (await stage.orders()).length === before.length + missing.size,
    'it traded before it halted',
  );
  await keepsRunning(stage, config, one);
  return { orders_missing: missing.size };
}

const idsOf = (orders) => orders.map(({ client_order_id: id }) => id);

export function mustBeOnce(orders) {
  const ids = idsOf(orders);
  must(new Set(ids).size === ids.length, 'two orders at the venue have one client order id');
}
