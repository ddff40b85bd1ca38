import type { ChaosOptions, Io } from '../command-options.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { StartError } from '../failure.js';
import { makeScratchFolder } from '../ports/scratch-folder.js';
import { ownProgram } from './chaos-bot.js';
import { closingText, findingsText, openingText, sceneText } from './chaos-text.js';
import { playScene, type SceneResult } from './scene.js';
import { SCENES } from './scenes.js';

/**
 * `sluice chaos`: kills a bot where it hurts most, before the user's eyes, and shows that each order
 * exists once. Everything is on loopback, in a folder of its own.
 * @returns 0 when every proof holds, else 1
 */
export async function chaosCommand(options: ChaosOptions, io: Io): Promise<ExitCode> {
  const say = (text: string): void => {
    if (!options.json) io.stdout(text);
  };
  const folder = await makeScratchFolder('sluice-chaos-');
  const program = await ownProgram(io.files);
  const startedAt = io.clock.monotonicMs();
  const results: SceneResult[] = [];
  const stop = new AbortController();
  const forget = io.onSignal(() => {
    stop.abort(new StartError('stopped before the last proof'));
  });
  say(openingText(SCENES.length));
  try {
    for (const [index, scene] of SCENES.entries()) {
      say(sceneText(index + 1, scene));
      const tell = (text: string): void => {
        say(`     ${text}\n`);
      };
      const seed = options.seed + index;
      const result = await playScene(scene, {
        ports: io,
        seed,
        folder,
        program,
        tell,
        signal: stop.signal,
      });
      results.push(result);
      say(findingsText(result));
    }
  } finally {
    forget();
    if (options.keep) io.stderr(`sluice: kept ${folder.path}\n`);
    else await folder.remove();
  }
  const seconds = (io.clock.monotonicMs() - startedAt) / 1_000;
  if (options.json) io.stdout(`${JSON.stringify(documentOf(results, seconds, options.seed))}\n`);
  say(closingText(results, seconds));
  return results.every(({ holds }) => holds) ? EXIT.done : EXIT.failed;
}

const documentOf = (results: readonly SceneResult[], seconds: number, seed: number) => ({
  holds: results.every(({ holds }) => holds),
  seed,
  seconds: Number(seconds.toFixed(1)),
  scenes: results.map(({ scene, evidence, findings, holds }) => ({
    scene: scene.name,
    holds,
    client_order_id: evidence.clientOrderId,
    deliveries: evidence.deliveries,
    orders: evidence.orders.length,
    position_venue: evidence.position.venue,
    position_believed: evidence.position.believed,
    unknown: evidence.unknown ?? null,
    reconciled: evidence.reconciled,
    journal: evidence.journal,
    findings,
  })),
});
