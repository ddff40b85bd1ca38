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
import { nodeProcessFacts } from './process/node-process-facts.js';

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

  test('read returns the bytes, or undefined for a missing file', async () => {
    writeFileSync(at('a'), 'abc');
    expect(Buffer.from((await nodeFiles.read(at('a'))) ?? []).toString()).toBe('abc');
    expect(await nodeFiles.read(at('none'))).toBeUndefined();
    await expect(nodeFiles.read(directory)).rejects.toMatchObject({ code: 'EISDIR' });
  });

  test('replace leaves the whole content, readable by the owner only, and no other file', async () => {
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

  test('replace does not conflict with a process of the same id, dead or in another container', async () => {
    const left = Array.from({ length: 200 }, (_, index) => `a.${process.pid}-${index + 1}.tmp`);
    for (const name of left) writeFileSync(at(name), 'theirs');
    await nodeFiles.replace(at('a'), bytes('new'));
    expect(readdirSync(directory).toSorted()).toEqual(['a', ...left].toSorted());
  });

  test('createExclusive succeeds for one of many callers, and the file appears whole', async () => {
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

  test('writeAt overwrites in place and creates a missing file', async () => {
    await nodeFiles.writeAt(at('head'), 4, bytes('5678'));
    await nodeFiles.writeAt(at('head'), 0, bytes('1234'));
    await nodeFiles.writeAt(at('head'), 2, bytes('xx'));
    expect(readFileSync(at('head'), 'latin1')).toBe('12xx5678');
    expect(modeOf(at('head'))).toBe(0o600);
  });

  test('openAppend continues at the end, also after truncate', async () => {
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

  test('appended bytes are in the file, in order, after a sync', async () => {
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

  test('large appends are written completely', async () => {
    const block = new Uint8Array(3_000_000).fill(7);
    const file = await nodeFiles.openAppend(at('log'));
    await file.append(block);
    await file.sync();
    await file.close();
    expect(statSync(at('log')).size).toBe(block.length);
  });

  test.runIf(existsSync('/dev/full'))(
    'an append file that failed once never reports a sync again',
    async () => {
      const file = await nodeFiles.openAppend('/dev/full');
      await file.append(bytes('x'));
      await expect(file.sync()).rejects.toMatchObject({ code: 'ENOSPC' });
      await file.append(bytes('y'));
      await expect(file.sync()).rejects.toMatchObject({ code: 'ENOSPC' });
      await file.close();
    },
  );

  test('directories are created with their parents, for the owner only', async () => {
    await nodeFiles.makeDirectory(at('a/b'));
    await nodeFiles.makeDirectory(at('a/b'));
    expect([modeOf(at('a')), modeOf(at('a/b'))]).toEqual([0o700, 0o700]);
  });

  test('list, exists and remove work on existing and missing paths', async () => {
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

describe('the Node scheduler', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('a timer runs once, when it is due, never within the call', () => {
    const run = vi.fn();
    nodeScheduler.after(0, run);
    nodeScheduler.after(-5, run);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledTimes(2);
  });

  test('a timer never runs early, even if the system wakes it early', () => {
    const run = vi.fn();
    nodeScheduler.after(10.4, run);
    vi.advanceTimersByTime(10);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledOnce();
  });

  test('a timer can be canceled, also when it exceeds the longest delay of Node', () => {
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

test('the clocks read monotonic time and UTC, and random numbers are between 0 and 1', () => {
  const before = nodeClock.monotonicMs();
  expect(nodeClock.monotonicMs()).toBeGreaterThanOrEqual(before);
  expect(new Date(nodeClock.utcMs()).getUTCFullYear()).toBeGreaterThan(2024);
  const draws = Array.from({ length: 100 }, () => nodeRandom.next());
  expect(draws.every((draw) => draw >= 0 && draw < 1)).toBe(true);
});

describe('process facts', () => {
  test('this process runs and has one start time', async () => {
    const first = await nodeProcessFacts.startTimeOf(process.pid);
    expect(first).toBeDefined();
    expect(await nodeProcessFacts.startTimeOf(process.pid)).toBe(first);
    expect(await nodeProcessFacts.bootId()).toBe(await nodeProcessFacts.bootId());
  });

  test('a process that has ended does not run', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const pid = child.pid ?? 0;
    expect(await nodeProcessFacts.startTimeOf(pid)).toBeDefined();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    expect(await nodeProcessFacts.startTimeOf(pid)).toBeUndefined();
  });
});
