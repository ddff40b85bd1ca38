import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { ProcessLimit } from '../simulation/swarm/process-limit.js';

let child: ChildProcess | undefined;
afterEach(() => child?.kill('SIGKILL'));

async function start(source: string): Promise<number> {
  const args = ['-e', `process.stdout.write('started'); ${source}`];
  child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child.pid as number;
}

const reached = (pid: number): Promise<void> =>
  new Promise((resolve) => new ProcessLimit(pid, 500, resolve));

test('a process that computes without end reaches its limit', async () => {
  await reached(await start('for (;;);'));
});

test('a process that waits for an event that never comes reaches its limit', async () => {
  await reached(await start('setInterval(() => undefined, 1e6);'));
});

// Linux only: elsewhere every second counts.
test.runIf(process.platform === 'linux')(
  'a process that gets no core does not come nearer to its limit',
  async () => {
    const pid = await start('for (;;);');
    process.kill(pid, 'SIGSTOP');
    let isReached = false;
    const limit = new ProcessLimit(pid, 500, () => (isReached = true));
    await sleep(2_500);
    expect(isReached).toBe(false);
    limit.close();
    process.kill(pid, 'SIGCONT');
    await reached(pid);
  },
);
