import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/harness/command-line.js';
import { DIST_ENTRY } from '../../../test/harness/dist-threads.js';
import { rig, textOf } from '../../../test/harness/strategy-rig.js';
import {
  loadStrategy,
  StrategyLoadError,
  StrategyParamsError,
} from '../../strategy/loader/loader.js';
import { ThreadForm, type Loss } from '../../strategy/thread/thread-form.js';
import type { StrategyThread } from '../thread/strategy-thread.js';
import { strategyWorkers, type WorkerOptions } from './strategy-worker.js';

const folder = temporaryFolder();
const threads: StrategyThread[] = [];
afterAll(async () => {
  await Promise.all(threads.map((thread) => thread.close()));
  folder.remove();
});

const HEAD = `import { defineStrategy, z } from 'sluice/strategy';
export default defineStrategy({
  name: 'tried',
  params: z.object({ size: z.number().default(1) }),
`;

/** Line 5 is the first of `rest`. */
function strategyFile(name: string, rest: string): string {
  const file = join(folder.path, `${name}.mjs`);
  writeFileSync(file, `${HEAD}${rest}\n});\n`);
  return file;
}

async function start(
  use: string,
  params: Readonly<Record<string, unknown>> = {},
  options: WorkerOptions = {},
): Promise<StrategyThread> {
  const startThread = strategyWorkers({ entry: DIST_ENTRY, ...options });
  const thread = await startThread({ use, params, configDir: folder.path });
  threads.push(thread);
  return thread;
}

/** A host whose strategy runs on the thread. */
async function threaded(thread: StrategyThread, hookMs: number) {
  const losses: Loss[] = [];
  // Its code is elsewhere: what the rig is given here is not called.
  const definition = await loadStrategy('sma-cross', { configDir: '.' });
  const made = rig(definition, {
    openForm: (settings, outbox, ends) =>
      new ThreadForm({
        ...{ settings, outbox, ends, line: thread.line },
        budgets: { makeMs: 5_000, hookMs },
        lost: (loss) => losses.push(loss),
      }),
  });
  return { ...made, losses };
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
};

/** TypeScript: it must be compiled. Line 6 is the first of `rest`. */
function typedFile(name: string, rest: string): string {
  const file = join(folder.path, `${name}.ts`);
  const head = `import { waited } from './${name}-waits.js';\n${HEAD}`;
  writeFileSync(file, `${head}${rest}\n});\n`);
  writeFileSync(join(folder.path, `${name}-waits.ts`), 'export const waited: number = 3;\n');
  return file;
}

it('runs what is built, as the daemon does', () => {
  expect(existsSync(fileURLToPath(DIST_ENTRY)), 'npm run build').toBe(true);
});

describe('threads of one bot', () => {
  const startAll = (file: string): Promise<PromiseSettledResult<StrategyThread>[]> => {
    const startThread = strategyWorkers({ entry: DIST_ENTRY });
    const job = { use: file, params: {}, configDir: folder.path };
    return Promise.allSettled(Array.from({ length: 3 }, () => startThread(job)));
  };

  it('load the same TypeScript, whoever of them compiles it', async () => {
    const rest = '  create: () => ({ warmup: waited, onCandle(context) { context.target(1); } }),';
    const started = await startAll(typedFile('typed', rest));
    for (const each of started) {
      if (each.status === 'rejected') throw each.reason as Error;
      threads.push(each.value);
      const { close, world } = await threaded(each.value, 2_000);
      for (let step = 0; step < 3; step++) close(100);
      expect(world.intents.map(textOf)).toEqual(['buy 1 #0/0']);
    }
  });

  it('are each told the line that does not compile', async () => {
    const started = await startAll(typedFile('broken', '  create: () => ({ warmup: waited +, }),'));
    const reasons = started.map((each) => each.status === 'rejected' && String(each.reason));
    expect(reasons).toEqual([1, 2, 3].map(() => expect.stringMatching(/broken\.ts:6:/) as string));
  });
});

describe('a strategy on a thread', () => {
  it.each(['sma-cross', 'grid', 'stream-momentum'])(
    '%s decides there what it decides here',
    async (use) => {
      const definition = await loadStrategy(use, { configDir: '.' });
      const params = definition.params.parse({});
      const thread = await start(use);
      const here = rig(definition, { params });
      const there = await threaded(thread, 5_000);
      for (const each of [here, there])
        for (let step = 0; step < 200; step++) {
          each.close(100 + 9 * Math.sin(step / 11) + (step % 7) / 10);
          each.settle();
        }
      expect(there.world.intents.map(textOf)).toEqual(here.world.intents.map(textOf));
      expect(there.world.notes).toEqual(here.world.notes);
      expect(here.world.intents.length).toBeGreaterThan(1);
    },
  );

  it.each([
    [
      'in a loop',
      `create: () => ({
    onCandle(context) {
      context.target(1);
      if (context.candles().length < 3) return;
      let turns = 0;
      for (;;) turns += 1;
    },
  }),`,
      /tried-in-a-loop\.mjs:(9|10): here it was/,
    ],
    [
      'in what it calls',
      `create: () => ({
    onCandle: (context) => { context.target(1); if (context.candles().length > 2) spin(); },
  }),
});
function spin() {
  const text = 'a'.repeat(40);
  for (;;) { text.split(''); }
}
void ({`,
      /tried-in-what-it-calls\.mjs:(8|9|10|11): here it was/,
    ],
  ])('that does not return, %s, is lost and found', async (what, rest, place) => {
    const name = `tried-${what.replaceAll(' ', '-')}`;
    const thread = await start(strategyFile(name, rest));
    const { close, settle, world, losses } = await threaded(thread, 1_500);
    for (const price of [100, 101, 102, 103]) {
      close(price);
      settle();
    }
    expect(losses).toEqual([{ call: 5, reason: 'onCandle did not return within 1.5 s' }]);
    expect(world.intents).toHaveLength(1);
    expect(await thread.autopsy()).toMatch(place);
  });

  it('that ends its process has ended its thread', async () => {
    const thread = await start(
      strategyFile('exits', `create: () => ({ onCandle: () => process.exit(3) }),`),
    );
    const { close, losses } = await threaded(thread, 5_000);
    close(100);
    expect(losses).toEqual([{ call: 3, reason: 'onCandle ended its thread (process.exit?)' }]);
  });

  it('that eats all memory ends alone', async () => {
    const eats = `create: () => ({
    onCandle() {
      const kept = [];
      for (;;) kept.push(new Array(10_000).fill({}));
    },
  }),`;
    const thread = await start(strategyFile('eats', eats), {}, { memoryMb: 32 });
    const { close, losses } = await threaded(thread, 3_000);
    close(100);
    expect(losses).toHaveLength(1);
    expect(await thread.autopsy()).toBe('it used up 32 MB of memory');
  });

  it.each([
    ['an intent', 'context.target(1)', /^an intent came outside of any step at .*later\.mjs:7/],
    ['a throw', "throw new Error('late')", /^what nobody caught .* late at .*later\.mjs:7/],
    ['a timer', "context.timer(0, 'x')", /^what nobody caught .* a timer was set outside of any/],
  ])('is lost by %s after an await', async (_, act, reason) => {
    const rest = `create: () => ({
    async onCandle(context) {
      await null; ${act};
    },
  }),`;
    const thread = await start(strategyFile('later', rest));
    const { close, losses } = await threaded(thread, 5_000);
    close(100);
    await until(() => losses.length > 0);
    expect(losses).toEqual([{ call: 4, reason: expect.stringMatching(reason) as string }]);
  });

  it('that asks for what is no plain data has asked for nothing', async () => {
    const rest = `create: () => ({ onCandle: (context) => context.enter({ side: () => 1 }) }),`;
    const thread = await start(strategyFile('functions', rest));
    const { close, world } = await threaded(thread, 5_000);
    close(100);
    expect(world.intents).toEqual([]);
    expect(world.notes.join()).toContain('it asked for what is no plain data');
  });

  it('does not see the secret of the environment', async () => {
    process.env['SLUICE_API_SECRET'] = 'hidden';
    try {
      const rest = `create: () => ({
    onCandle: (context) => context.explain(String(process.env.SLUICE_API_SECRET)),
  }),`;
      const thread = await start(strategyFile('curious', rest));
      const { close, world } = await threaded(thread, 5_000);
      close(100);
      expect(world.notes).toEqual(['info: mine: undefined']);
    } finally {
      delete process.env['SLUICE_API_SECRET'];
    }
  });

  it('that is closed answers no more', async () => {
    const thread = await start('sma-cross');
    const { close, losses } = await threaded(thread, 5_000);
    await thread.close();
    close(100);
    expect(losses).toHaveLength(1);
    expect(await thread.autopsy()).toBeUndefined();
  });
});

describe('loading on a thread', () => {
  it('tells what is wrong as it is told here', async () => {
    const broken = join(folder.path, 'broken.mjs');
    writeFileSync(broken, 'export default {\n  name: \n');
    for (const use of ['no-such', broken, strategyFile('half', '')]) {
      const here = await loadStrategy(use, { configDir: folder.path }).catch(
        (error: unknown) => error,
      );
      const there = await start(use).catch((error: unknown) => error);
      expect(there).toBeInstanceOf(StrategyLoadError);
      expect(String(there)).toBe(String(here));
    }
  });

  it('checks its parameters, each with its name', async () => {
    const wrong = start('sma-cross', { fast: 'x', slo: 1 });
    await expect(wrong).rejects.toThrow(StrategyParamsError);
    await expect(wrong).rejects.toMatchObject({
      issues: expect.arrayContaining([expect.objectContaining({ path: ['slo'] })]) as unknown,
    });
  });

  it('does not wait for ever', async () => {
    const loops = join(folder.path, 'loops.mjs');
    writeFileSync(loops, 'let turns = 0;\nfor (;;) {\n  turns += 1;\n}\n');
    await expect(start(loops, {}, { loadMs: 4_000 })).rejects.toThrow(
      /it was not loaded within 4 s: .*loops\.mjs:[23]: here it was/,
    );
  });

  it('tells of code that ends its thread', async () => {
    const leaves = join(folder.path, 'leaves.mjs');
    writeFileSync(leaves, 'process.exit(4);\n');
    await expect(start(leaves)).rejects.toThrow('it ended its thread with exit code 4');
  });
});
