import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/rigs/cli-runner.js';
import { DIST_ENTRY } from '../support/rigs/dist-threads.js';
import { rig, textOf } from '../support/rigs/strategy-rig.js';
import {
  loadStrategy,
  StrategyLoadError,
  StrategyParamsError,
} from '../../src/strategy/loader/loader.js';
import {
  WorkerStrategyProxy,
  type WorkerFailure,
} from '../../src/strategy/isolation/worker-strategy-proxy.js';
import type { StrategyThread } from '../../src/strategy/isolation/strategy-thread.js';
import {
  strategyWorkers,
  type WorkerOptions,
} from '../../src/strategy/isolation/strategy-worker.js';

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

/** Source of a strategy; `rest` starts on line 5. */
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

/** A rig whose strategy runs on the thread. */
async function threaded(thread: StrategyThread, hookMs: number) {
  const failures: WorkerFailure[] = [];
  // The code runs on the thread: this definition is not called.
  const definition = await loadStrategy('sma-cross', { configDir: '.' });
  const made = rig(definition, {
    openAdapter: (settings, intentSink, streamEnd) =>
      new WorkerStrategyProxy({
        ...{ settings, intentSink, streamEnd, channel: thread.channel },
        budgets: { makeMs: 5_000, hookMs },
        onFailed: (failure) => failures.push(failure),
      }),
  });
  return { ...made, failures };
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
};

/** TypeScript source, which must be compiled; `rest` starts on line 6. */
function typedFile(name: string, rest: string): string {
  const file = join(folder.path, `${name}.ts`);
  const head = `import { waited } from './${name}-waits.js';\n${HEAD}`;
  writeFileSync(file, `${head}${rest}\n});\n`);
  writeFileSync(join(folder.path, `${name}-waits.ts`), 'export const waited: number = 3;\n');
  return file;
}

it('the built worker runs a strategy as the daemon does', () => {
  expect(existsSync(fileURLToPath(DIST_ENTRY)), 'npm run build').toBe(true);
});

describe('threads of one bot', () => {
  const startAll = (file: string): Promise<PromiseSettledResult<StrategyThread>[]> => {
    const startThread = strategyWorkers({ entry: DIST_ENTRY });
    const job = { use: file, params: {}, configDir: folder.path };
    return Promise.allSettled(Array.from({ length: 3 }, () => startThread(job)));
  };

  it('threads load the same TypeScript, compiled by any of them', async () => {
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

  it('each thread reports the line that does not compile', async () => {
    const started = await startAll(typedFile('broken', '  create: () => ({ warmup: waited +, }),'));
    const reasons = started.map((each) => each.status === 'rejected' && String(each.reason));
    expect(reasons).toEqual([1, 2, 3].map(() => expect.stringMatching(/broken\.ts:6:/) as string));
  });
});

describe('a strategy on a worker', () => {
  it.each(['sma-cross', 'grid', 'stream-momentum'])(
    '%s takes the same decisions on a worker as without one',
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
  ])('the location of a strategy that does not return, %s, is found', async (what, rest, place) => {
    const name = `tried-${what.replaceAll(' ', '-')}`;
    const thread = await start(strategyFile(name, rest));
    const { close, settle, world, failures } = await threaded(thread, 1_500);
    for (const price of [100, 101, 102, 103]) {
      close(price);
      settle();
    }
    expect(failures).toEqual([{ call: 5, reason: 'onCandle did not return within 1.5 s' }]);
    expect(world.intents).toHaveLength(1);
    expect(await thread.describeFailure()).toMatch(place);
  });

  it('process.exit in a strategy ends its thread alone', async () => {
    const thread = await start(
      strategyFile('exits', `create: () => ({ onCandle: () => process.exit(3) }),`),
    );
    const { close, failures } = await threaded(thread, 5_000);
    close(100);
    expect(failures).toEqual([{ call: 3, reason: 'onCandle ended its thread (process.exit?)' }]);
  });

  it('a strategy that uses up its memory ends alone', async () => {
    const eats = `create: () => ({
    onCandle() {
      const kept = [];
      for (;;) kept.push(new Array(10_000).fill({}));
    },
  }),`;
    const thread = await start(strategyFile('eats', eats), {}, { memoryMb: 32 });
    const { close, failures } = await threaded(thread, 3_000);
    close(100);
    expect(failures).toHaveLength(1);
    expect(await thread.describeFailure()).toBe('it used up 32 MB of memory');
  });

  it.each([
    ['an intent', 'context.target(1)', /^an intent came outside of any step at .*later\.mjs:7/],
    ['a throw', "throw new Error('late')", /^an uncaught error .* late at .*later\.mjs:7/],
    ['a timer', "context.timer(0, 'x')", /^an uncaught error .* a timer was set outside of any/],
  ])('a strategy fails by %s after an await', async (_, act, reason) => {
    const rest = `create: () => ({
    async onCandle(context) {
      await null; ${act};
    },
  }),`;
    const thread = await start(strategyFile('later', rest));
    const { close, failures } = await threaded(thread, 5_000);
    close(100);
    await until(() => failures.length > 0);
    expect(failures).toEqual([{ call: 4, reason: expect.stringMatching(reason) as string }]);
  });

  it('an intent that cannot be cloned is discarded', async () => {
    const rest = `create: () => ({ onCandle: (context) => context.enter({ side: () => 1 }) }),`;
    const thread = await start(strategyFile('functions', rest));
    const { close, world } = await threaded(thread, 5_000);
    close(100);
    expect(world.intents).toEqual([]);
    expect(world.notes.join()).toContain('it asked for what is no plain data');
  });

  it('a strategy cannot read the secret of the environment', async () => {
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

  it('a closed worker answers no request', async () => {
    const thread = await start('sma-cross');
    const { close, failures } = await threaded(thread, 5_000);
    await thread.close();
    close(100);
    expect(failures).toHaveLength(1);
    expect(await thread.describeFailure()).toBeUndefined();
  });
});

describe('loading on a thread', () => {
  it('a load error has the same message on a worker as without one', async () => {
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

  it('each wrong parameter is reported by its name', async () => {
    const wrong = start('sma-cross', { fast: 'x', slo: 1 });
    await expect(wrong).rejects.toThrow(StrategyParamsError);
    await expect(wrong).rejects.toMatchObject({
      issues: expect.arrayContaining([expect.objectContaining({ path: ['slo'] })]) as unknown,
    });
  });

  it('loading has a time limit, and the error names the line', { timeout: 180_000 }, async () => {
    const loops = join(folder.path, 'loops.mjs');
    writeFileSync(loops, 'let turns = 0;\nfor (;;) {\n  turns += 1;\n}\n');
    // On a busy machine the thread may not have come to the line when the time is over.
    let text = '';
    for (const loadMs of [4_000, 16_000, 64_000]) {
      const failure = await start(loops, {}, { loadMs }).catch((error: unknown) => error);
      text = String(failure);
      expect(text).toContain(`it was not loaded within ${loadMs / 1_000} s: `);
      if (!text.includes('is not known')) break;
    }
    expect(text).toMatch(/loops\.mjs:[23]: here it was/);
  });

  it('code that ends its thread while loading is reported', async () => {
    const leaves = join(folder.path, 'leaves.mjs');
    writeFileSync(leaves, 'process.exit(4);\n');
    await expect(start(leaves)).rejects.toThrow('it ended its thread with exit code 4');
  });
});
