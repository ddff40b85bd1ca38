import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { nodeClock } from './node-clock.js';
import { nodeFiles } from './node-files.js';
import { nodeRandom } from './node-random.js';
import { nodeScheduler } from './node-scheduler.js';
import { nodeProcessFacts } from './process-facts.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('files on disk', () => {
  let directory: string;
  const at = (name: string): string => join(directory, name);
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'files-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  test('read gives the bytes, or undefined', async () => {
    writeFileSync(at('a'), 'abc');
    expect(Buffer.from((await nodeFiles.read(at('a'))) ?? []).toString()).toBe('abc');
    expect(await nodeFiles.read(at('none'))).toBeUndefined();
    await expect(nodeFiles.read(directory)).rejects.toMatchObject({ code: 'EISDIR' });
  });

  test('replace leaves the whole content, for the owner alone, and nothing beside it', async () => {
    writeFileSync(at('a'), 'a longer text than the next');
    chmodSync(at('a'), 0o644);
    await nodeFiles.replace(at('a'), bytes('new'));
    expect(readFileSync(at('a'), 'utf8')).toBe('new');
    expect(modeOf(at('a'))).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['a']);
  });

  test('a replace that fails leaves the old content and no temporary file', async () => {
    mkdirSync(at('a'));
    await expect(nodeFiles.replace(at('a'), bytes('new'))).rejects.toThrow();
    expect(readdirSync(directory)).toEqual(['a']);
    await expect(nodeFiles.replace(at('no/such'), bytes('x'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  test('replace is not in the way of a process of the same number, dead or in another container', async () => {
    const left = Array.from({ length: 200 }, (_, index) => `a.${process.pid}-${index + 1}.tmp`);
    for (const name of left) writeFileSync(at(name), 'theirs');
    await nodeFiles.replace(at('a'), bytes('new'));
    expect(readdirSync(directory).toSorted()).toEqual(['a', ...left].toSorted());
  });

  test('createExclusive lets one of many win, and appears whole', async () => {
    const won = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        nodeFiles.createExclusive(at('lock'), bytes(`by ${index}`)),
      ),
    );
    const winners = won.flatMap((isWinner, index) => (isWinner ? [index] : []));
    expect(winners).toHaveLength(1);
    expect(readFileSync(at('lock'), 'utf8')).toBe(`by ${winners[0]}`);
    expect(modeOf(at('lock'))).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['lock']);
  });

  test('writeAt overwrites in place and creates what is not there', async () => {
    await nodeFiles.writeAt(at('head'), 4, bytes('5678'));
    await nodeFiles.writeAt(at('head'), 0, bytes('1234'));
    await nodeFiles.writeAt(at('head'), 2, bytes('xx'));
    expect(readFileSync(at('head'), 'latin1')).toBe('12xx5678');
    expect(modeOf(at('head'))).toBe(0o600);
  });

  test('openAppend goes on at the end, also after truncate', async () => {
    const first = await nodeFiles.openAppend(at('log'));
    expect(first.initialSize).toBe(0);
    await first.append(bytes('one'));
    await first.append(bytes('two'));
    await first.sync();
    await first.close();
    await nodeFiles.truncate(at('log'), 4);
    const second = await nodeFiles.openAppend(at('log'));
    expect(second.initialSize).toBe(4);
    await second.append(bytes('!'));
    await second.sync();
    await second.close();
    expect(readFileSync(at('log'), 'utf8')).toBe('onet!');
    expect(modeOf(at('log'))).toBe(0o600);
  });

  test('what was appended is in the file, in order, when it was synced', async () => {
    const file = await nodeFiles.openAppend(at('log'));
    await file.append(bytes('a'));
    const synced = file.sync();
    await file.append(bytes('b'));
    await synced;
    expect(readFileSync(at('log'), 'utf8')).toBe('a');
    await file.sync();
    await file.sync();
    expect(readFileSync(at('log'), 'utf8')).toBe('ab');
    await file.close();
  });

  test('large appends arrive whole', async () => {
    const block = new Uint8Array(3_000_000).fill(7);
    const file = await nodeFiles.openAppend(at('log'));
    await file.append(block);
    await file.sync();
    await file.close();
    expect(statSync(at('log')).size).toBe(block.length);
  });

  test.runIf(existsSync('/dev/full'))(
    'an append file that failed once never says again that it is synced',
    async () => {
      const file = await nodeFiles.openAppend('/dev/full');
      await file.append(bytes('x'));
      await expect(file.sync()).rejects.toMatchObject({ code: 'ENOSPC' });
      await file.append(bytes('y'));
      await expect(file.sync()).rejects.toMatchObject({ code: 'ENOSPC' });
      await file.close();
    },
  );

  test('directories are made with their parents, for the owner alone', async () => {
    await nodeFiles.makeDirectory(at('a/b'));
    await nodeFiles.makeDirectory(at('a/b'));
    expect([modeOf(at('a')), modeOf(at('a/b'))]).toEqual([0o700, 0o700]);
  });

  test('list, exists and remove', async () => {
    for (const name of ['b', 'a', 'c']) writeFileSync(at(name), '');
    await nodeFiles.remove(at('c'));
    await nodeFiles.remove(at('c'));
    expect(await nodeFiles.list(directory)).toEqual(['a', 'b']);
    expect(await nodeFiles.list(at('none'))).toEqual([]);
    expect([await nodeFiles.exists(at('a')), await nodeFiles.exists(at('c'))]).toEqual([
      true,
      false,
    ]);
  });
});

describe('timers', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('run once, when their time has come, never inside the call', () => {
    const run = vi.fn();
    nodeScheduler.after(0, run);
    nodeScheduler.after(-5, run);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledTimes(2);
  });

  test('never run early, even where the system wakes them early', () => {
    const run = vi.fn();
    nodeScheduler.after(10.4, run);
    vi.advanceTimersByTime(10);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledOnce();
  });

  test('may be canceled, also when they are longer than a timer can be', () => {
    const run = vi.fn();
    const month = 31 * 86_400_000;
    const cancel = nodeScheduler.after(month, run);
    nodeScheduler.after(month, run);
    vi.advanceTimersByTime(30 * 86_400_000);
    expect(run).not.toHaveBeenCalled();
    cancel();
    vi.advanceTimersByTime(86_400_000);
    expect(run).toHaveBeenCalledOnce();
  });
});

test('the clocks tell monotonic time and UTC, chance is between 0 and 1', () => {
  const before = nodeClock.monotonicMs();
  expect(nodeClock.monotonicMs()).toBeGreaterThanOrEqual(before);
  expect(new Date(nodeClock.utcMs()).getUTCFullYear()).toBeGreaterThan(2024);
  const draws = Array.from({ length: 100 }, () => nodeRandom.next());
  expect(draws.every((draw) => draw >= 0 && draw < 1)).toBe(true);
});

describe('what the system tells of processes', () => {
  test('this one runs, and started once', async () => {
    const first = await nodeProcessFacts.startTimeOf(process.pid);
    expect(first).toBeDefined();
    expect(await nodeProcessFacts.startTimeOf(process.pid)).toBe(first);
    expect(await nodeProcessFacts.bootId()).toBe(await nodeProcessFacts.bootId());
  });

  test('one that ended runs no more', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const pid = child.pid ?? 0;
    expect(await nodeProcessFacts.startTimeOf(pid)).toBeDefined();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    expect(await nodeProcessFacts.startTimeOf(pid)).toBeUndefined();
  });
});
