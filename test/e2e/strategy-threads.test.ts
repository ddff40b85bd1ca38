import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { applyQuirksToConfig } from '../support/builders/quirks.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const folder = temporaryFolder();
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  folder.remove();
});

/** Buys, and never returns once it has a position: from line 12 on. */
const HANGS = `import { defineStrategy, z } from 'sluice/strategy';
export default defineStrategy({
  name: 'hangs',
  params: z.object({ after: z.number().default(2) }),
  create: ({ params }) => {
    let held = 0;
    return {
      onCandle(context) {
        context.target(1);
        held += context.position.quantity === 0 ? 0 : 1;
        let turns = 0;
        while (held > params.after) {
          turns += 1;
        }
      },
    };
  },
});
`;

const THROWS = HANGS.replace(/while[^]*?\n {8}}/, "if (held > 1) throw new Error('enough');");

/** Is long and flat in turn, from candle to candle. */
const TURNS = `import { defineStrategy, z } from 'sluice/strategy';
export default defineStrategy({
  name: 'turns',
  params: z.object({}),
  create: () => ({
    onCandle: (context) => context.target(context.position.quantity === 0 ? 1 : 0),
  }),
});
`;

/** New files for each test, since this process reads each file once. */
function configIn(
  name: string,
  hanging: string,
  code = { hangs: HANGS, turns: TURNS },
): { readonly config: string; readonly stateDir: string } {
  const stateDir = join(folder.path, `${name}-state`);
  const config = join(folder.path, `${name}.yaml`);
  writeFileSync(join(folder.path, `${name}-hangs.mjs`), code.hangs);
  writeFileSync(join(folder.path, `${name}-turns.mjs`), code.turns);
  const text = `mode: sandbox
account: demo
venue: { embedded: { clock: fast:60, seed: 1, start: 2025-05-05T00:00:00Z } }
state_dir: ${stateDir}
strategies:
  - { id: hangs, use: ./${name}-hangs.mjs, symbols: [BTCUSDT], size: { notional: '500' }, ${hanging} }
  - { id: turns, use: ./${name}-turns.mjs, symbols: [ETHUSDT], size: { notional: '500' } }
risk: { preset: research, symbols_allow: [BTCUSDT, ETHUSDT] }
`;
  writeFileSync(config, applyQuirksToConfig(text));
  return { config, stateDir };
}

interface LogLine {
  readonly level: string;
  readonly msg: string;
}

/** The daemon as a process of its own; interrupted once its log contains enough. */
async function daemon(config: string, enough: (log: readonly LogLine[]) => boolean) {
  const child = spawn(process.execPath, ['bin/sluice.mjs', 'run', '--config', config, '--json'], {
    cwd: ROOT,
  });
  children.push(child);
  let [stdout, stderr, pressed] = ['', '', false];
  const log = (): readonly LogLine[] =>
    stderr
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as LogLine);
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    // A second one would end it at once.
    if (!pressed && enough(log())) pressed = child.kill('SIGINT');
  });
  const exitCode = await new Promise((resolve) => child.on('close', resolve));
  return { exitCode, summary: JSON.parse(stdout) as Record<string, unknown>, log: log() };
}

const messagesOf = (id: string, log: readonly LogLine[]): readonly string[] =>
  log.map(({ msg }) => msg).filter((msg) => msg.startsWith(`${id}: `));

/** Log lines since the first strategy failed. */
const since = (log: readonly LogLine[]): readonly LogLine[] => {
  const failed = log.findIndex(({ msg }) => msg.startsWith('hangs: failed'));
  return failed < 0 ? [] : log.slice(failed);
};

describe('a strategy that does not return in the daemon', () => {
  it('only that strategy ends: its position is closed, the other trades on, and a replay agrees', async () => {
    const { config, stateDir } = configIn('flatten', 'on_error: flatten, hook_timeout: 1500ms');
    const { exitCode, summary, log } = await daemon(config, (lines) => {
      const later = since(lines);
      const [closed, turned] = [messagesOf('hangs', later), messagesOf('turns', later)];
      return closed.some((msg) => msg.includes('sold')) && turned.length >= 4;
    });
    const message = messagesOf('hangs', since(log));
    expect(message[0]).toBe(
      'hangs: failed: onCandle did not return within 1.5 s. Its positions are closed',
    );
    expect(message.join('\n')).toMatch(/hangs\.mjs:1[23]: here it was when it did not return/);
    // Its position is queried meanwhile, and may be logged after it.
    expect(message.join('\n')).toMatch(/^hangs: sold .* BTCUSDT .* position 0$/m);
    expect(exitCode).toBe(1);
    expect(summary).toMatchObject({
      unknown: 0,
      reconciled: true,
      errors: [
        {
          strategy: 'hangs',
          message: 'onCandle did not return within 1.5 s',
          file: join(folder.path, 'flatten-hangs.mjs'),
          line: expect.toSatisfy((line) => line === 12 || line === 13) as unknown,
          symbol: 'BTCUSDT',
        },
      ],
    });
    const held = (summary['positions'] as readonly { readonly symbol: string }[]).map(
      ({ symbol }) => symbol,
    );
    expect(held).not.toContain('BTCUSDT');

    const [session = ''] = readdirSync(stateDir);
    const replay = await runSluice(['replay', join(stateDir, session), '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
    expect(replay.exitCode).toBe(0);
  }, 90_000);

  it('the position stays open under hold', async () => {
    const { config } = configIn('hold', 'on_error: hold, hook_timeout: 1s');
    const { summary, log } = await daemon(
      config,
      (lines) => messagesOf('turns', since(lines)).length >= 2,
    );
    expect(messagesOf('hangs', since(log)).join('\n')).not.toContain('sold');
    expect(summary['positions']).toContainEqual(expect.objectContaining({ symbol: 'BTCUSDT' }));
  }, 90_000);
});

/** Either of the two files. */
const anywhere = (text: string): string => text.replace(/throws-(thread|none)/g, 'throws');

describe('a strategy that throws in the daemon', () => {
  it('the outcome on a thread equals the one without a thread', async () => {
    const printed: (readonly string[])[] = [];
    for (const isolation of ['thread', 'none']) {
      const options = `isolation: ${isolation}, hook_timeout: 20s`;
      const { config } = configIn(`throws-${isolation}`, options, { hangs: THROWS, turns: TURNS });
      const run = await runSluice(['run', '--config', config, '--json', '--duration', '9s']);
      expect(run.exitCode).toBe(1);
      const { errors } = JSON.parse(run.stdout) as { readonly errors: readonly unknown[] };
      expect(errors).toMatchObject([
        { strategy: 'hangs', message: 'onCandle threw Error: enough', line: 12, count: 3 },
      ]);
      const lines = run.stderr.split('\n').filter((line) => line.includes('hangs: '));
      printed.push(lines.map((line) => (JSON.parse(line) as LogLine).msg));
    }
    const [threaded = [], here = []] = printed;
    const errors = (lines: readonly string[]) => lines.filter((msg) => !msg.includes('bought'));
    expect(errors(threaded).map(anywhere)).toEqual(errors(here).map(anywhere));
    expect(errors(here).join('\n')).toMatch(/onCandle threw Error: enough at .*hangs\.mjs:12/);
    expect(errors(here).at(-1)).toMatch(/failed: it threw 3 times/);
  }, 60_000);
});

describe('a strategy that cannot be loaded on its thread', () => {
  it('the bot does not start, and the message has the line', async () => {
    const { config } = configIn('loads', 'hook_timeout: 1s', {
      hangs: HANGS,
      turns: '\nexport default 7;\n',
    });
    const run = await runSluice(['run', '--config', config, '--json']);
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toMatch(/turns\.mjs:2: the default export is not a strategy/);
    expect(run.stderr).toMatch(/loads\.yaml:7:\d+ strategies\[1\]\.use/);
  });
});
