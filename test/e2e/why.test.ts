import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFramedLog } from '../../src/io/log/framed-log.js';
import type { JournalRecordOf } from '../../src/execution/journal/journal-record.js';
import { nodeClock } from '../../src/io/node/node-clock.js';
import { nodeFiles } from '../../src/io/node/node-files.js';
import { nodeProcessFacts } from '../../src/io/node/process/node-process-facts.js';
import { openStateFolder } from '../../src/live/state/state-folder.js';
import { BotWorld } from '../support/rigs/bot-world.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { demoConfig } from '../support/builders/demo-config.js';
import { stateOnDisk } from '../support/builders/state-on-disk.js';
import { isField } from '../support/builders/quirks.js';

const PLACE = 'POST /fapi/v2/futures/order';
const FLIP_FLOP = resolve('test/fixtures/flip-flop.ts');

const CONFIG = demoConfig()
  .replace('use: sma-cross', `use: ${FLIP_FLOP}`)
  .replace('params: { fast: 3, slow: 8 }', 'params: { every: 5 }');

const folder = temporaryFolder();
let stateDir = '';
let intents: readonly JournalRecordOf<'intent'>[] = [];
let world: BotWorld;

beforeAll(async () => {
  world = new BotWorld({
    config: CONFIG,
    sandbox: { clock: { kind: 'fast', factor: 60 }, held: true },
    faults: [{ on: PLACE, fault: 'resp_lost', probability: 0.3 }],
  });
  const bot = await world.start();
  await world.time.run(60_000);
  await world.stop(bot);
  stateDir = await stateOnDisk(world, folder.path);
  intents = (await world.journal()).filter((record) => record.type === 'intent');
}, 120_000);

afterAll(() => {
  folder.remove();
});

const PROGRESS = /^(?:sluice: reading \S+ into index\.db: \d+ %\s*)+/;
const json = async (...words: readonly string[]) => {
  const { exitCode, stdout, stderr } = await runSluice(['why', ...words, '--json']);
  // Progress is printed only when it takes long, as on a busy machine.
  expect(stderr.replace(PROGRESS, '')).toBe('');
  expect(exitCode).toBe(0);
  return JSON.parse(stdout) as Record<string, never>;
};

/** Orders of a candle of the strategy. */
const flipFlopIntent = () => intents.filter(({ strategyId }) => strategyId === 'btc-cross');

describe('sluice why <order>', () => {
  it('the complete chain of every order is printed, by any of its names', async () => {
    expect(intents.length).toBeGreaterThan(10);
    for (const { clientOrderId } of intents) {
      const { answers } = (await json(clientOrderId, stateDir)) as { answers: never };
      expect(answers).toMatchObject([
        // Where lookups lag, one can come too late for its validity.
        {
          kind: 'order',
          client_order_id: clientOrderId,
          state: isField ? (expect.stringMatching(/^(filled|dropped)$/) as unknown) : 'filled',
        },
      ]);
    }
    const [intent] = flipFlopIntent();
    const byClient = await json(intent?.clientOrderId ?? '', stateDir);
    const [{ order_id: venueId }] = byClient['answers'] as unknown as [{ order_id: string }];
    const byVenue = await json(venueId, stateDir);
    expect(byVenue['answers']).toEqual(byClient['answers']);
    const beginning = await json(intent?.clientOrderId.slice(0, 20) ?? '', stateDir);
    expect(beginning['answers']).toEqual(byClient['answers']);
    const withoutNamespace = await json(intent?.clientOrderId.slice(7) ?? '', stateDir);
    expect(withoutNamespace['answers']).toEqual(byClient['answers']);
  });

  it('the answer has the candle with its values, the explanation, every margin, attempts, fills and the end', async () => {
    const intent = flipFlopIntent().find(({ terms }) => !terms.reduceOnly);
    const { answers } = await json(intent?.clientOrderId ?? '', stateDir);
    const [trace] = answers as unknown as [Record<string, never>];
    expect(trace).toMatchObject({
      event: { kind: 'candle', symbol: 'BTCUSDT', values: { live: true }, session: '000001' },
      decision: { strategy: 'btc-cross', explanation: expect.stringMatching(/time to turn/) },
      verdict: { approved: true, facts: { fact_mode: 'TRADING' } },
      end: { state: 'filled' },
    });
    const margins = (trace['verdict'] as unknown as { margins: { control: string }[] }).margins;
    const controls = new Set(margins.map(({ control }) => control));
    expect([...controls].sort()).toEqual(
      expect.arrayContaining(['R01', 'R02', 'R05', 'R06', 'R07', 'R10', 'R12', 'R15']),
    );
    expect(trace['fills']).toHaveLength(1);
    expect((trace['attempts'] as unknown as unknown[]).length).toBeGreaterThan(0);
  });

  it('a lost answer is shown with its later resolution', async () => {
    const lost = (await world.journal()).find(
      (record) => record.type === 'outcome' && record.outcome === 'unknown',
    );
    const id = lost?.type === 'outcome' ? lost.clientOrderId : '';
    const { answers } = await json(id, stateDir);
    expect(answers).toMatchObject([
      {
        attempts: [
          { attempt: 1, outcome: 'unknown', text: expect.stringMatching(/may have taken/) },
        ],
        evidence: expect.arrayContaining([
          expect.objectContaining({ text: expect.stringMatching(/outcome unknown/) }),
          expect.objectContaining({ text: expect.stringMatching(/the venue has it as order/) }),
        ]),
        state: 'filled',
      },
    ]);
  });

  it('every leg of a decision is shown, as text in a tree', async () => {
    const reversal = flipFlopIntent().find(({ leg }) => leg === 1);
    const { stdout, exitCode } = await runSluice(['why', reversal?.decisionKey ?? '', stateDir]);
    expect(exitCode).toBe(0);
    expect(stdout.match(/^order /gm)).toHaveLength(2);
    expect(stdout).toMatch(/├─ event {5}candle BTCUSDT 1m 2025-05-05 \d\d:\d\d:00Z {2}open/);
    expect(stdout).toMatch(/└─ “candle \d+: time to turn”|├─ “candle \d+: time to turn”/);
    expect(stdout).toMatch(/R05 max_ref_price_age_ms +\d+ ≤ (3000|15000) ms/);
    expect(stdout).toMatch(/└─ see also .* leg [01] of the same decision/);
    expect(stdout).toMatch(/fill .* at /);
  });
});

describe('sluice why <symbol> <time>', () => {
  const traceAt = async (minute: number, ...more: readonly string[]) => {
    const time = `2025-05-05T00:${String(minute).padStart(2, '0')}:00Z`;
    const answer = await json('BTCUSDT', time, stateDir, ...more);
    return answer as unknown as {
      strategies: { story: { outcome: string; because: string }; answers: unknown[] }[];
      nothing?: string;
    };
  };

  it('every candle of the run has its outcome, in agreement with the journal', async () => {
    const outcomes = new Map<string, number>();
    for (let minute = 0; minute < 45; minute += 1) {
      const { strategies } = await traceAt(minute);
      expect(strategies).toHaveLength(1);
      const [strategyTrace] = strategies;
      const outcome = strategyTrace?.story.outcome ?? '';
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      const because = `${minute}: ${outcome}: ${strategyTrace?.story.because}`;
      expect((strategyTrace?.answers.length ?? 0) > 0, because).toBe(outcome === 'ordered');
    }
    expect(Object.fromEntries(outcomes)).toMatchObject({
      ordered: expect.any(Number) as number,
      held: expect.any(Number) as number,
      silent: expect.any(Number) as number,
    });
  }, 120_000);

  it('an existing target is named, with its time', async () => {
    const decided = flipFlopIntent().find(({ terms }) => !terms.reduceOnly);
    const openTime = decided?.cause.kind === 'candle' ? decided.cause.openTime : 0;
    const { strategies } = await traceAt(new Date(openTime + 60_000).getUTCMinutes());
    expect(strategies[0]?.story).toMatchObject({ outcome: 'held' });
    expect(strategies[0]?.story.because).toMatch(
      /^it asked for target -?1 of BTCUSDT, as it did before: it was decided on the candle of 2025-05-05T00:\d\d:00Z/,
    );
  });

  it('strategies without a trade are named', async () => {
    const none = await runSluice(['why', 'XRPUSDT', '2025-05-05T00:05:00Z', stateDir]);
    expect(none).toMatchObject({ exitCode: 2 });
    expect(none.stderr).toMatch(/no strategy traded XRPUSDT in session 000001/);
    const other = await runSluice([
      ...['why', 'BTCUSDT', '2025-05-05T00:05:00Z', stateDir, '--strategy', 'sol-cross'],
    ]);
    expect(other.stderr).toMatch(/no strategy called "sol-cross" traded BTCUSDT/);
  });

  it('a candle that never came is reported', async () => {
    const { nothing } = await json('BTCUSDT', '2025-05-05T03:00:00Z', stateDir);
    expect(nothing).toMatch(/session 000001, .* never received this candle/);
    const early = await json('BTCUSDT', '2025-05-01T03:00:00Z', stateDir);
    expect(early['nothing']).toMatch(
      /no run was active then: the first session began at 2025-05-05/,
    );
  });
});

describe('changed code', () => {
  /** The state with another configuration in the record, as if the strategy had been edited. */
  async function edited(name: string, change: (config: string) => string): Promise<string> {
    const target = copyOfState(name);
    const record = await openFramedLog(nodeFiles, join(stateDir, 'record'), '000001');
    const [header, ...events] = record.read();
    await record.close();
    const originalHeader = JSON.parse(new TextDecoder().decode(header)) as { configText: string };
    const editedHeader = { ...originalHeader, configText: change(originalHeader.configText) };
    const log = await openFramedLog(nodeFiles, join(target, 'record'), '000001');
    for (const bytes of [new TextEncoder().encode(JSON.stringify(editedHeader)), ...events]) {
      log.append(bytes);
    }
    await log.close();
    return target;
  }
  const minute = (openTime: number) => new Date(openTime).toISOString().replace('.000', '');

  it('the change is reported with the journal’s answer, and nothing is stored', async () => {
    const looser = "preset: standard, max_order_notional_usdt: '499'";
    const target = await edited('changed', (text) => text.replace('preset: standard', looser));
    const intent = flipFlopIntent().at(-1);
    const openTime = intent?.cause.kind === 'candle' ? intent.cause.openTime : 0;
    for (let time = 0; time < 2; time += 1) {
      const answer = await json('BTCUSDT', minute(openTime), target);
      expect(answer['warning']).toMatch(/the replay made other decisions than the journal/);
      expect(JSON.stringify(answer['strategies'])).toContain(intent?.clientOrderId);
    }
  }, 60_000);

  it('code that cannot follow the record leaves the answer to the journal', async () => {
    const target = await edited('other', (text) => text.replace('every: 5', 'every: 4'));
    const intent = flipFlopIntent().at(-1);
    const openTime = intent?.cause.kind === 'candle' ? intent.cause.openTime : 0;
    const answer = await json('BTCUSDT', minute(openTime), target);
    expect(answer['warning']).toMatch(/cannot be replayed, because the code .* has changed since/);
    expect(JSON.stringify(answer['strategies'])).toContain(intent?.clientOrderId);
  }, 60_000);

  it('a missing strategy leaves the answer to the journal', async () => {
    const target = await edited('gone', (text) => text.replace(FLIP_FLOP, '/nowhere/at-all.ts'));
    const intent = flipFlopIntent()[0];
    const openTime = intent?.cause.kind === 'candle' ? intent.cause.openTime : 0;
    const answer = await json('BTCUSDT', minute(openTime), target);
    expect(answer['warning']).toMatch(/cannot be replayed.*no strategy "\/nowhere\/at-all.ts"/);
    expect(answer['strategies']).toMatchObject([{ story: { outcome: 'ordered' } }]);
    const next = await json('BTCUSDT', minute(openTime + 120_000), target);
    expect(next['strategies']).toMatchObject([{ story: { outcome: 'untold' }, answers: [] }]);
  }, 60_000);
});

describe('why a candle led to no order', () => {
  const dir = join(folder.path, 'careful');
  const traceCases = async (symbol: string) => {
    const traces = [];
    for (let minute = 0; minute < 120; minute += 1) {
      const time = new Date(Date.UTC(2025, 4, 5, 0, minute)).toISOString().replace('.000', '');
      const answer = await json(symbol, time, join(dir, 'state'));
      const { strategies } = answer as unknown as { strategies: TraceCase[] };
      traces.push(...strategies);
    }
    return traces;
  };
  interface TraceCase {
    readonly story: { readonly outcome: string; readonly because: string };
    readonly answers: readonly { readonly kind: string; readonly verdict: object }[];
  }

  beforeAll(async () => {
    const risk =
      "{ preset: standard, symbols_allow: [BTCUSDT, ETHUSDT], max_order_notional_usdt: '100' }";
    const careful = new BotWorld({
      config: demoConfig(),
      sandbox: { clock: { kind: 'fast', factor: 60 }, held: true },
    });
    const first = await careful.start();
    const isOpen = (symbol: string) => careful.venuePosition(symbol) !== 0;
    await careful.time.until(() => isOpen('BTCUSDT') && isOpen('SOLUSDT'), 120_000);
    await careful.stop(first);
    // A tighter limit is only a warning where a position is open; later orders are refused one by one.
    careful.config = demoConfig({ risk }).replace(
      /(use: donchian-breakout[^]*?notional: )'250'/,
      "$1'50'",
    );
    const bot = await careful.start();
    await careful.time.run(45_000);
    await careful.stop(bot);
    await stateOnDisk(careful, dir);
  }, 60_000);

  it('a limit of the gate is shown with its value', async () => {
    const refused = (await traceCases('BTCUSDT')).filter(
      ({ story }) => story.outcome === 'refused',
    );
    expect(refused.length).toBeGreaterThan(0);
    for (const { story, answers } of refused) {
      expect(story.because).toMatch(/^refused by R01: order notional [\d.]+ is above 100 USDT/);
      expect(answers).toMatchObject([
        { kind: 'refusal', verdict: { approved: false, control: 'R01', facts: { limit: '100' } } },
      ]);
      const margins = JSON.stringify(answers);
      expect(margins).toMatch(/"control":"R01".{0,200}"distance":"-[\d.]+"/);
    }
  }, 60_000);

  it('a symbol that may not be traded is shown as text', async () => {
    const [first] = (await traceCases('SOLUSDT')).filter(
      ({ story }) => story.outcome === 'refused',
    );
    expect(first?.story.because).toMatch(/^refused by R28: SOLUSDT is not in symbols_allow/);
    const key = JSON.stringify(first?.answers).match(/candle:SOLUSDT:1m:\d+#0/)?.[0] ?? '';
    const { stdout } = await runSluice(['why', key, join(dir, 'state')]);
    expect(stdout).toMatch(/^decision candle:SOLUSDT.* refused\n├─ event {5}candle SOLUSDT/);
    expect(stdout).toMatch(/verdict .* refused by R28/);
    expect(stdout).toMatch(/└─ end {7}no order was created\n$/);
  }, 60_000);
});

describe('bad input', () => {
  const failure = async (...words: readonly string[]) => {
    const { exitCode, stdout, stderr } = await runSluice(['why', ...words]);
    expect(stdout).toBe('');
    return { exitCode, stderr };
  };

  it('an unknown id is answered with the available and the nearest ones', async () => {
    const known = intents[3]?.clientOrderId ?? '';
    const wrong = `${known.slice(0, -4)}zz${known.slice(-2)}`;
    const { exitCode, stderr } = await failure(wrong, stateDir);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`did you mean ${known}?`);
    expect(stderr).toMatch(/It holds \d+ orders; the newest:/);
  });

  it('an ambiguous prefix is answered with its candidates', async () => {
    const { exitCode, stderr } = await failure(
      intents[0]?.clientOrderId.slice(0, 7) ?? '',
      stateDir,
    );
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/matches several; give more characters:\n {2}/);
  });

  it('an invalid folder is refused', async () => {
    const { exitCode, stderr } = await failure('abc', join(folder.path, 'nowhere'));
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/nowhere does not exist: give the state_dir/);
    mkdirSync(join(folder.path, 'empty'), { recursive: true });
    expect((await failure('abc', join(folder.path, 'empty'))).stderr).toMatch(/holds no journal/);
  });

  it('too many arguments, an invalid time and an invalid interval are refused', async () => {
    expect((await failure('a', 'b', 'c')).stderr).toMatch(/one argument too many/);
    expect((await failure('candle:BTCUSDT:7m:1746403200000')).stderr).toMatch(/is not an interval/);
    expect((await failure('candle:BTCUSDT:1m:noon')).stderr).toMatch(/is not a time/);
  });

  it('a damaged journal is refused and stays unchanged', async () => {
    const damaged = copyOfState('damaged');
    const path = join(damaged, 'journal.log');
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const { exitCode, stderr } = await failure(intents[0]?.clientOrderId ?? '', damaged);
    expect(exitCode).toBe(4);
    expect(stderr).toMatch(/the journal cannot be trusted: .* is damaged/);
    expect(readFileSync(path)).toEqual(bytes);
  });

  it('a truncated journal is refused', async () => {
    const cut = copyOfState('cut');
    truncateSync(join(cut, 'journal.log'), 1_000);
    expect(await failure(intents[0]?.clientOrderId ?? '', cut)).toMatchObject({ exitCode: 4 });
  });
});

describe('the index', () => {
  it('a torn index is dropped and rebuilt with a message', async () => {
    const torn = copyOfState('torn');
    const id = intents[0]?.clientOrderId ?? '';
    const before = await runSluice(['why', id, torn, '--json']);
    const index = join(torn, 'index.db');
    const bytes = readFileSync(index);
    writeFileSync(index, bytes.subarray(0, bytes.length >> 1).fill(7, 0, 300));
    rmSync(`${index}-wal`, { force: true });
    const after = await runSluice(['why', id, torn, '--json']);
    expect(after.stderr).toMatch(/index\.db cannot be used .*: it is rebuilt/);
    expect(after.stdout).toBe(before.stdout);
  });

  it('orders in archives of a compaction are found, and the rest without the archives', async () => {
    const compacted = copyOfState('compacted');
    const id = intents[0]?.clientOrderId ?? '';
    const before = JSON.parse((await runSluice(['why', id, compacted, '--json'])).stdout) as object;
    const header = (await world.journal())[0] as JournalRecordOf<'header'>;
    const ports = {
      files: nodeFiles,
      facts: nodeProcessFacts,
      clock: nodeClock,
      venueTime: 0,
      compactAfter: 1,
    };
    const opened = await openStateFolder(compacted, header, ports);
    await opened.abandon();
    expect(readdirSync(compacted)).toContain('journal-000001.log');
    const after = await runSluice(['why', id, compacted, '--json']);
    expect(JSON.parse(after.stdout)).toEqual(before);
    for (const name of ['journal-000001.log', 'journal-000001.head']) rmSync(join(compacted, name));
    const summary = await runSluice(['why', id, compacted]);
    expect(summary.stdout).toMatch(/^order .* filled/);
    expect(summary.stdout).toMatch(/end +.*filled/);
  });

  it('the index follows a growing journal', async () => {
    const early = join(folder.path, 'early');
    const growing = new BotWorld({
      config: CONFIG,
      sandbox: { clock: { kind: 'fast', factor: 60 } },
    });
    const bot = await growing.start();
    await growing.time.run(20_000);
    const state = await stateOnDisk(growing, early);
    const count = async () => {
      const { stderr } = await runSluice(['why', 'no-such-order', state]);
      return Number(/It holds (\d+) order/.exec(stderr)?.[1]);
    };
    const first = await count();
    await growing.time.run(20_000);
    await stateOnDisk(growing, early);
    expect(await count()).toBeGreaterThan(first);
    await growing.stop(bot);
  });
});

function copyOfState(name: string): string {
  const target = join(folder.path, name);
  mkdirSync(target, { recursive: true });
  for (const file of ['journal.log', 'journal.head']) {
    copyFileSync(join(stateDir, file), join(target, file));
  }
  return target;
}
