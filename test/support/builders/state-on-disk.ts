import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RECORD_DIRECTORY } from '../../../src/live/state/state-folder.js';
import { STATE_DIR, type BotWorld } from '../rigs/bot-world.js';

/** Writes the state folder of a world's bot, as it is now, to a real one. @returns its path */
export async function stateOnDisk(world: BotWorld, folder: string): Promise<string> {
  const target = join(folder, 'state');
  for (const part of ['', `/${RECORD_DIRECTORY}`]) {
    for (const name of await world.files.list(`${STATE_DIR}${part}`)) {
      const bytes = await world.files.read(`${STATE_DIR}${part}/${name}`);
      if (bytes === undefined) continue;
      const path = join(target, part, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes);
    }
  }
  return target;
}
