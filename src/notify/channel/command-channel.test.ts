import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../io/node/process/run-program.js';
import type { Notice } from '../alert/notice.js';
import { CommandChannel } from './command-channel.js';

const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const NOTICE: Notice = {
  id: 'run-1',
  level: 'page',
  silent: false,
  atMs: 0,
  account: 'main',
  mode: 'live',
  items: [
    {
      key: 'halted',
      kind: 'halted',
      state: 'raised',
      title: 'trading is halted',
      text: "$(touch /tmp/never) `x` '; exit",
      count: 1,
      sinceMs: 0,
    },
  ],
  omitted: 0,
};

let programs = 0;
function program(text: string): string {
  const path = join(folder, `program-${(programs += 1)}`);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o700);
  return path;
}

const channel = (run: readonly string[], timeoutMs = 5_000): CommandChannel =>
  new CommandChannel({ run, timeoutMs, levels: new Set(['page'] as const) }, runProgram);

describe('a command', () => {
  it('gets the notice as one line of JSON, its arguments as given, and nothing else of the environment', async () => {
    const out = join(folder, 'out');
    process.env['SLUICE_SECRET_OF_THE_TEST'] = 'hidden';
    await channel([
      program(`cat > '${out}'; echo "$1" >> '${out}'; env >> '${out}'`),
      '$(id) *',
    ]).deliver(NOTICE);
    delete process.env['SLUICE_SECRET_OF_THE_TEST'];
    const [line = '', argument, ...env] = readFileSync(out, 'utf8').split('\n');
    const { items } = JSON.parse(line) as { items: readonly { text: string }[] };
    expect(items[0]?.text).toBe("$(touch /tmp/never) `x` '; exit");
    expect(argument).toBe('$(id) *');
    expect(env.join('\n')).not.toContain('hidden');
  });

  it.each([
    ['that fails', () => [program('echo broken >&2; exit 3')], 'exit code 3: broken'],
    ['that is missing', () => [join(folder, 'missing')], 'there is no such program'],
    ['that is no program', () => [folder], 'it is not executable: chmod +x'],
  ])('one %s is no delivery', async (_, run, message) => {
    await expect(channel(run()).deliver(NOTICE)).rejects.toThrow(message);
  });

  it('one that does not end is killed', async () => {
    const run = [program('exec sleep 60')];
    await expect(channel(run, 200).deliver(NOTICE)).rejects.toThrow('killed after 200 ms');
  });

  it('one that does not read its input decides by its exit code', async () => {
    await channel([program('exit 0')]).deliver(NOTICE);
  });
});
