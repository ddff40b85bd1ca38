import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const PROOF = fileURLToPath(new URL('../longrun/proofs/disasters.mjs', import.meta.url));

interface Scene {
  readonly scene: string;
  readonly verdict: string;
  readonly faults: readonly string[];
  readonly exit_s: number | null;
  readonly back_s: number | null;
}

/** The scenes of `npm run proof:disasters -- --money`: daemon and sandbox are processes of their own. */
async function playMoneyScenes(): Promise<ReadonlyMap<string, Scene>> {
  const child = spawn(process.execPath, [PROOF, '--money', '--jobs', '4', '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await new Promise((resolve) => child.on('close', resolve));
  const scenes = JSON.parse(text) as readonly Scene[];
  return new Map(scenes.map((scene) => [scene.scene, scene]));
}

describe('a disaster that a running daemon meets', () => {
  let scenes: ReadonlyMap<string, Scene>;
  beforeAll(async () => {
    scenes = await playMoneyScenes();
  }, 480_000);

  it.each([
    ['flash-crash', 'a fall of 30 % in 10 s ends by the stop and by the loss limit of the day'],
    ['stop-endpoint', 'a stop that the venue refuses for good closes its position'],
    ['liquidation', 'a liquidation under an exit in flight leaves the same books on both sides'],
    ['missing-fill', 'a fill whose reports are lost reaches the books of the bot'],
  ])('%s: %s', (name) => {
    expect(scenes.get(name)).toMatchObject({ faults: [], verdict: 'holds' });
    expect(scenes.get(name)?.back_s).toBeGreaterThanOrEqual(0);
  });
});
