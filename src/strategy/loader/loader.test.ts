import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Observable } from 'rxjs';
import { map } from 'rxjs/operators';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isStreamStrategy } from '../contract/definition.js';
import { loadStrategy, parseParams, readStrategies, StrategyLoadError } from './loader.js';
import { candlesFromCloses, simulate } from '../../testing/index.js';

let configDir: string;

const write = async (name: string, text: string): Promise<string> => {
  const file = join(configDir, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
};

const strategyText = (name: string): string => `
import { defineStrategy, z, type StrategyContext } from 'sluice/strategy';
export default defineStrategy({
  name: '${name}',
  params: z.object({ level: z.number().default(100) }),
  create: ({ params }) => ({
    onCandle(context: StrategyContext) {
      context.target(context.candle.close > params.level ? 1 : 0);
    },
  }),
});
`;

const load = (use: string) => loadStrategy(use, { configDir });
const failureOf = async (use: string): Promise<string> => {
  const error: unknown = await load(use).catch((thrown: unknown) => thrown);
  if (error instanceof StrategyLoadError) return error.message;
  throw new Error(`It was no StrategyLoadError: ${String(error)}`);
};

beforeAll(async () => {
  configDir = await mkdtemp(join(tmpdir(), 'strategies-'));
});
afterAll(() => rm(configDir, { recursive: true, force: true }));

describe('loadStrategy', () => {
  it('shipped strategies are found by name', async () => {
    const definition = await load('sma-cross');
    expect(definition.name).toBe('sma-cross');
    expect(parseParams(definition, { fast: '5' })).toEqual({ fast: 5, slow: 50 });
  });

  it('a TypeScript file from any folder loads and runs', async () => {
    await write('above.ts', strategyText('above'));
    const strategy = await load('./above.ts');
    const { positions } = simulate({
      strategy,
      candles: candlesFromCloses([99, 101, 99]),
      params: { level: '100' },
    });
    expect(positions).toEqual([0, 0, 1]);
  });

  it.each([
    ['a file by its absolute path', 'absolute.ts', (dir: string) => join(dir, 'absolute.ts')],
    ['a file without its extension', 'bare.ts', () => './bare'],
    ['a file by its plain name', 'plain.ts', () => 'plain.ts'],
    ['a folder with an index', 'indexed/index.ts', () => './indexed'],
    ['a folder with a strategy file', 'filed/strategy.ts', () => './filed'],
    ['a folder without dots', 'folder/index.ts', () => 'folder'],
    ['a package', 'node_modules/some-strategy/index.ts', () => 'some-strategy'],
    ['a scoped package', 'node_modules/@some/strategy/index.ts', () => '@some/strategy'],
  ])('the loader loads %s', async (_, file, use) => {
    await write(file, strategyText('found'));
    if (file.startsWith('node_modules'))
      await write(join(dirname(file), 'package.json'), '{ "main": "index.ts" }');
    expect((await load(use(configDir))).name).toBe('found');
  });

  it('the main file of a folder’s package.json loads, with modules beside it', async () => {
    await write('packed/package.json', '{ "type": "commonjs", "main": "./lib/main.ts" }');
    await write('packed/lib/level.ts', 'export const level: number = 5;');
    await write(
      'packed/lib/main.ts',
      `import { level } from './level.js';\n${strategyText('packed')}\nvoid level;`,
    );
    expect((await load('./packed')).name).toBe('packed');
  });

  it('a plain JavaScript file loads', async () => {
    await write(
      'script.mjs',
      `import { defineStrategy, z } from 'sluice/strategy';
       export default defineStrategy({ name: 'script', params: z.object({}), create: () => ({ onCandle() {} }) });`,
    );
    expect((await load('./script.mjs')).name).toBe('script');
  });

  it.each([
    ['named', `import { Observable } from 'rxjs'`, 'Observable', Observable],
    ['default', `import rxjs from 'rxjs'`, 'rxjs.Observable', Observable],
    ['whole', `import * as rxjs from 'rxjs'`, 'rxjs.Observable', Observable],
    ['operator', `import { map } from 'rxjs/operators'`, 'map', map],
  ])('a %s import gets the RxJS of this process', async (kind, statement, name, own) => {
    await write(
      `${kind}.ts`,
      `${statement};
       import { defineStrategy, z } from 'sluice/strategy';
       export default defineStrategy({ name: 'same', params: z.object({}), intents: () => ${name} });`,
    );
    const { intents } = (await load(`./${kind}.ts`)) as unknown as { intents: () => unknown };
    expect(intents()).toBe(own);
  });

  it('a stream strategy loads and runs', async () => {
    await write(
      'stream.ts',
      `import { map } from 'rxjs';
       import { defineStrategy, z } from 'sluice/strategy';
       export default defineStrategy({ name: 'stream', params: z.object({}),
         intents: ({ candles$, target, symbols: [symbol = ''] }) => candles$().pipe(map(() => target(symbol, 1))) });`,
    );
    const strategy = await load('./stream.ts');
    expect(isStreamStrategy(strategy)).toBe(true);
    expect(simulate({ strategy, candles: candlesFromCloses([1, 1]) }).positions).toEqual([0, 1]);
  });

  describe('a load error', () => {
    it('a misspelt name is reported with the nearest one and the tried places', async () => {
      const message = await failureOf('sma-crss');
      expect(message).toMatch(/There is no strategy "sma-crss"\. Do you mean sma-cross\?/);
      expect(message).toMatch(/shipped: .*donchian-breakout.*, sma-cross/);
      expect(message).toContain(`tried: ${join(configDir, 'sma-crss')}`);
      expect(message).toMatch(/tried: the package sma-crss/);
    });

    it('a missing file is reported', async () => {
      expect(await failureOf('./nowhere.ts')).toContain(`tried: ${join(configDir, 'nowhere.ts')}`);
    });

    it('an empty folder is reported', async () => {
      await mkdir(join(configDir, 'empty'));
      expect(await failureOf('./empty')).toMatch(/tried: index, strategy \(\.ts, \.js\) in/);
    });

    it('a broken package.json is reported', async () => {
      await write('broken/package.json', '{');
      expect(await failureOf('./broken')).toMatch(/broken\/package\.json cannot be read/);
    });

    it('a syntax error is reported with file, line and column', async () => {
      const file = await write(
        'syntax.ts',
        'const a = 1;\nexport default {\n  a: 1\n  b: 2,\n};\n',
      );
      expect(await failureOf('./syntax.ts')).toMatch(
        new RegExp(`^${file.replaceAll('.', '\\.')}:4:3: Unexpected token`),
      );
    });

    it('a syntax error in an imported module is reported at its place', async () => {
      await write('inner.ts', 'export const a = ;');
      await write('outer.ts', `import { a } from './inner.js';\n${strategyText('outer')}\nvoid a;`);
      expect(await failureOf('./outer.ts')).toMatch(/inner\.ts:1:18: /);
    });

    it('a throw at the top level is reported with file and line', async () => {
      const file = await write('throws.ts', "\n\nthrow new Error('at the top');\n");
      expect(await failureOf('./throws.ts')).toBe(`${file}:3: at the top`);
    });

    it('a missing module is reported in one line', async () => {
      await write('lonely.ts', "import x from 'not-there-at-all';\nexport default x;\n");
      expect(await failureOf('./lonely.ts')).toMatch(/Cannot find module 'not-there-at-all'$/);
    });

    it('an unknown import of the contract is reported at its place', async () => {
      const text = strategyText('unknown-name').replace(
        'defineStrategy, z,',
        'defineStrategy, zz,',
      );
      const file = await write('unknown-name.ts', text.replace('z.object', 'zz.object'));
      expect(await failureOf('./unknown-name.ts')).toBe(
        `${file}:2: sluice/strategy has no "zz"; do you mean z?`,
      );
    });

    it('a default export that is no strategy is reported with its line', async () => {
      const file = await write('late.ts', 'const a = 1;\n\nexport default a;\n');
      expect(await failureOf('./late.ts')).toContain(`${file}:3: the default export is not a`);
    });

    it.each([
      ['nothing', 'export const a = 1;', /there is none/],
      ['a function', 'export default () => 1;', /it is a function/],
      ['no name', 'export default { params: 1 };', /it has no name/],
      ['no schema', "export default { name: 'a', params: {} };", /its params are not a zod schema/],
      [
        'no form',
        "import { z } from 'sluice/strategy'; export default { name: 'a', params: z.object({}) };",
        /it has neither create nor intents/,
      ],
      [
        'streams of its own making',
        "import { z } from 'sluice/strategy'; export default { name: 'a', params: z.object({}), create() {}, streams: ['1s'] };",
        /its streams are not a list of seconds, mark, mark-seconds/,
      ],
      [
        'both forms',
        "import { z } from 'sluice/strategy'; export default { name: 'a', params: z.object({}), create() {}, intents() {} };",
        /it has both create and intents/,
      ],
    ])('a default export with %s is reported', async (name, text, message) => {
      const file = `wrong-${name.replace(' ', '-')}.ts`;
      await write(file, text);
      expect(await failureOf(`./${file}`)).toMatch(message);
    });
  });
});

describe('a fresh load', () => {
  it('a fresh load reads the file and its imports anew', async () => {
    await write('changing/level.ts', 'export const level = 1;');
    const text = (name: string) =>
      `import { level } from './level.js';\n${strategyText(name)}\nvoid level;`;
    await write('changing/index.ts', text('before'));
    const names = [(await load('./changing')).name];
    await write('changing/index.ts', text('after'));
    names.push((await load('./changing')).name);
    names.push((await loadStrategy('./changing', { configDir, fresh: true })).name);
    expect(names).toEqual(['before', 'before', 'after']);
  });
});

describe('readStrategies', () => {
  it('every strategy of a folder is listed, a broken one with its problem, and no tests', async () => {
    await write('folder-of/good.ts', strategyText('good'));
    await write('folder-of/broken.ts', 'export default 1;');
    await write('folder-of/good.test.ts', 'throw new Error();');
    const entries = await readStrategies(join(configDir, 'folder-of'));
    expect(entries.map(({ definition }) => definition?.name)).toEqual([undefined, 'good']);
    expect(entries[0]?.problem).toMatch(/broken\.ts:1: the default export is not a strategy/);
    expect(await readStrategies(join(configDir, 'nowhere'))).toEqual([]);
  });
});

describe('the shipped strategies', () => {
  it('every shipped strategy has a name and a description', async () => {
    const entries = await readStrategies('shipped');
    const names = entries.map(({ definition }) => definition?.name);
    expect(names).toEqual(expect.arrayContaining(['donchian-breakout', 'sma-cross']));
    expect(entries.every(({ definition }) => definition?.description !== undefined)).toBe(true);
  });
});
