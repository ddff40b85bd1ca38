import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const folder = temporaryFolder();
const strategy = join(folder.path, 'bot/strategies/my-first.ts');
beforeAll(() => runSluice(['init', join(folder.path, 'bot')]));
afterAll(() => {
  folder.remove();
});

interface Line {
  readonly kind: string;
  readonly text: string;
}

/** Runs dev and acts on each expected output, until the last act is done. */
async function dev(
  args: readonly string[],
  acts: readonly { readonly on: string; readonly act: (stop: () => void) => void }[],
): Promise<{ exitCode: number; lines: readonly Line[]; stderr: string }> {
  const lines: Line[] = [];
  const waiting = [...acts];
  let signal: (name: 'SIGINT') => void = () => undefined;
  const config = join(folder.path, 'bot/config/sandbox.yaml');
  const { exitCode, stderr } = await runSluice(['dev', config, '--json', ...args], {
    onSignal: (listener) => {
      signal = listener;
      return () => undefined;
    },
    stdout: (text) => {
      const line = JSON.parse(text) as Line;
      lines.push(line);
      if (line.kind !== waiting[0]?.on) return;
      waiting.shift()?.act(() => signal('SIGINT'));
    },
  });
  return { exitCode, lines, stderr };
}

const edit = (from: string, to: string): void => {
  writeFileSync(strategy, readFileSync(strategy, 'utf8').replace(from, to));
};

describe('sluice dev', () => {
  it('a saved file is reloaded, a broken one leaves the old one running, and Ctrl-C stops', async () => {
    const whole = readFileSync(strategy, 'utf8');
    const { exitCode, lines } = await dev(
      [],
      [
        { on: 'fill', act: () => appendFileSync(strategy, '\nlet let = ;\n') },
        { on: 'broken', act: () => writeFileSync(strategy, whole.replace('close >', 'close <')) },
        { on: 'reloaded', act: () => undefined },
        { on: 'intent', act: (stop) => stop() },
      ],
    );
    const kinds = new Set(lines.map(({ kind }) => kind));
    for (const kind of ['intent', 'explains', 'fill', 'broken', 'reloaded', 'summary'])
      expect(kinds).toContain(kind);
    const broken = lines.find(({ kind }) => kind === 'broken');
    expect(broken?.text).toMatch(/strategies\/my-first\.ts:\d+:\d+: /);
    expect(lines.find(({ kind }) => kind === 'reloaded')?.text).toMatch(/its position is kept/);
    expect(lines.at(-1)).toMatchObject({ kind: 'summary', reconciled: true, unknown: 0 });
    expect(exitCode).toBe(0);
  }, 90_000);

  it('the position is closed before a reload on request', async () => {
    const { lines } = await dev(
      ['--on-reload', 'reset'],
      [
        { on: 'fill', act: () => edit('close < mean ? 1 : 0', '0') },
        { on: 'reloaded', act: (stop) => stop() },
      ],
    );
    expect(lines.find(({ kind }) => kind === 'reloaded')?.text).toMatch(/its position was closed/);
    expect(lines.at(-1)).toMatchObject({ positions: [], reconciled: true });
  }, 90_000);
});
