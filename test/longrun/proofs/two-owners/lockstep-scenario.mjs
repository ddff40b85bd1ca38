// Two copies that decide the same at the same candle, on a clock that waits for both: nothing is doubled,
// and the first thing that one of them does alone halts the other.
import { sleep } from '../../../../bench/sandbox-process.mjs';
import { mustBeOnce } from './copy-scenarios.mjs';
import { startDaemon, tail } from './daemon.mjs';
import { firstToHalt, HALTED, mustAgree, mustExplain } from './halt.mjs';
import { must } from './must.mjs';

const CANDLES_TOGETHER = 6;
const CANDLES_ALONE = 2;
const ALIKE = { by: 'position' };
/** Real time in which both have read what became of the last order. */
const SETTLED_MS = 2_000;

export async function lockstep(stage) {
  const config = stage.config('state', ALIKE);
  const bot = startDaemon({ config });
  await bot.trades();
  await tradeCandles(stage, 2);
  await bot.stop();
  stage.copy('state', 'copy');
  const copy = stage.config('copy', ALIKE);
  const twins = [startDaemon({ config }), startDaemon({ config: copy })];
  for (const twin of twins) await twin.trades();
  await tradeCandles(stage, CANDLES_TOGETHER);
  // One that was too slow at a candle has diverged: it halts, as it shall, and the other goes on.
  const halted = twins.filter(({ stderr }) => stderr.includes(HALTED));
  must(halted.length < 2, 'both twins halted');
  const haltMessages = twins.flatMap(
    ({ stderr }) => stderr.match(/the venue had order/g) ?? [],
  ).length;
  must(
    haltMessages + halted.length > 0,
    'no twin says that the venue had an order before it asked for it',
  );
  const [killed = twins[1]] = halted;
  const survivor = twins.find((twin) => twin !== killed);
  await killed.kill();
  await tradeCandles(stage, CANDLES_ALONE);
  must(
    (await survivor.stop()) === 0,
    `the twin that was left ended with ${survivor.code}: ${tail(survivor)}`,
  );
  await mustAgree(stage, survivor);
  await mustHalt(stage, killed === twins[1] ? copy : config);
  return {
    orders_together: CANDLES_TOGETHER,
    ids_taken_by_the_twin: haltMessages,
    diverged: halted.length,
  };
}

/** The killed twin comes back: its journal lacks what the other did alone. */
async function mustHalt(stage, config) {
  const ids = (await stage.orders()).map(({ client_order_id: id }) => id);
  const { one } = await firstToHalt([startDaemon({ config })]);
  mustExplain(one, new Set(ids.slice(-CANDLES_TOGETHER - CANDLES_ALONE)));
  await one.stop();
}

/** In at one candle, out at the next: one order for each, however many decide on it. */
async function tradeCandles(stage, count) {
  for (let candle = 1; candle <= count; candle += 1) {
    const { length: before } = await stage.orders();
    const held = await stage.position();
    await stage.nextCandle();
    await stage.untilOrders(before + 1);
    await sleep(SETTLED_MS);
    const orders = await stage.orders();
    must(orders.length === before + 1, `${orders.length - before} orders of one candle`);
    mustBeOnce(orders);
    const now = await stage.position();
    must((now === 0) !== (held === 0), `the position went from ${held} to ${now}`);
  }
}
