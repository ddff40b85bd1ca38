// The venue away for longer than an entry is valid: with a life that trades as it goes, one that is
// started while it is away, and one that sees it come back.
import { sleep } from '../../../../bench/sandbox-process.mjs';

/** An entry on 1m is valid for two minutes. */
const OUTAGE_MS = 135_000;
/** A start whose venue was away tries again at least once a minute. */
const BACK_AGAIN_MS = 120_000;

/** Which kills an outage comes after: one for each forty, and one at least. */
export function outagesOf(kills) {
  const count = Math.max(1, Math.floor(kills / 40));
  return new Set(Array.from({ length: count }, (_, n) => Math.floor(((n + 0.5) * kills) / count)));
}

/**
 * Three lives, each ended with SIGKILL.
 * @param begin starts a life; it takes no part in the end of it
 * @returns the lives, and the faults that were seen
 */
export async function playOutage({ random, tap, begin }) {
  const tradingDaemon = await begin();
  await Promise.race([tradingDaemon.trading, tradingDaemon.ended, sleep(60_000)]);
  await sleep(500 + random.below(2_500));
  tap.goDown();
  const downAt = performance.now();
  await sleep(5_000 + random.below(35_000));
  await kill(tradingDaemon);
  const starting = await begin();
  await sleep(1_000 + random.below(7_000));
  await kill(starting);
  const waiting = await begin();
  await sleep(Math.max(0, downAt + OUTAGE_MS - performance.now()));
  tap.comeUp();
  await Promise.race([waiting.trading, waiting.ended, sleep(BACK_AGAIN_MS)]);
  const traded = waiting.recoveryMs !== undefined;
  await sleep(3_000);
  await kill(waiting);
  const text = `a life that waited for the venue does not trade ${BACK_AGAIN_MS / 1_000} s after it is back`;
  return { lives: [tradingDaemon, starting, waiting], faults: traded ? [] : [text] };
}

async function kill(life) {
  life.child.kill('SIGKILL');
  await life.ended;
}
