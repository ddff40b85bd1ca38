import { describe, expect, it } from 'vitest';
import { MemoryFiles } from '../../../test/harness/memory-files.js';
import { acquireStateLock, StateHeldError, type ProcessFacts } from './state-lock.js';

/** A machine whose processes come and go. */
class Machine {
  readonly running = new Map<number, string>();
  boot = 'boot-1';

  process(pid: number, startTime: string): ProcessFacts {
    this.running.set(pid, startTime);
    return {
      pid,
      startTimeOf: async (other) => this.running.get(other),
      bootId: async () => this.boot,
    };
  }
}

const LOCK = 'state/lock';

describe('the state lock', () => {
  it('is held by one process until it lets go', async () => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    const first = await acquireStateLock(files, 'state', machine.process(10, 'a'));
    expect(await first.isHeld()).toBe(true);
    const second = acquireStateLock(files, 'state', machine.process(11, 'b'));
    await expect(second).rejects.toThrow(/Process 10 owns this state.*Stop it first \(kill 10\)/);
    await expect(second).rejects.toMatchObject({ name: 'StateHeldError', pid: 10 });
    await first.release();
    const third = await acquireStateLock(files, 'state', machine.process(11, 'b'));
    expect(third.takenOverFrom).toBeUndefined();
  });

  it('is refused to a second daemon in the same process', async () => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    const self = machine.process(10, 'a');
    await acquireStateLock(files, 'state', self);
    await expect(acquireStateLock(files, 'state', self)).rejects.toThrow(StateHeldError);
  });

  it.each([
    { name: 'its process is gone', change: (machine: Machine) => machine.running.delete(10) },
    {
      name: 'another process has its number by now',
      change: (machine: Machine) => machine.running.set(10, 'later'),
    },
    {
      name: 'the machine has started again',
      change: (machine: Machine) => {
        machine.boot = 'boot-2';
      },
    },
  ])('is taken over when $name', async ({ change }) => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    await acquireStateLock(files, 'state', machine.process(10, 'a'));
    change(machine);
    const lock = await acquireStateLock(files, 'state', machine.process(11, 'b'));
    expect(lock.takenOverFrom).toBe(10);
    expect(await lock.isHeld()).toBe(true);
    expect(files.paths()).toEqual([LOCK]);
  });

  it('takes over from an earlier process that had our own number', async () => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    await acquireStateLock(files, 'state', machine.process(1, 'first container start'));
    const lock = await acquireStateLock(files, 'state', machine.process(1, 'second'));
    expect(lock.takenOverFrom).toBe(1);
  });

  it.each([
    { name: 'start times', facts: { startTimeOf: async () => '', bootId: async () => 'boot-1' } },
    {
      name: 'boots, nor start times',
      facts: { startTimeOf: async () => '', bootId: async () => '' },
    },
  ])('counts a running number as alive where the system does not tell $name', async ({ facts }) => {
    const files = new MemoryFiles();
    await acquireStateLock(files, 'state', { pid: 10, ...facts });
    await expect(acquireStateLock(files, 'state', { pid: 11, ...facts })).rejects.toThrow(
      StateHeldError,
    );
  });

  it.each(['', 'not json', '{"pid":10}'])('is not judged when it reads %j', async (text) => {
    const files = new MemoryFiles();
    files.put(LOCK, new TextEncoder().encode(text));
    const attempt = acquireStateLock(files, 'state', new Machine().process(11, 'b'));
    await expect(attempt).rejects.toThrow(/state\/lock cannot be read.*remove the file/);
  });

  it('notices that somebody replaced it, and then removes nothing', async () => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    const first = await acquireStateLock(files, 'state', machine.process(10, 'a'));
    await files.remove(LOCK);
    expect(await first.isHeld()).toBe(false);
    const second = await acquireStateLock(files, 'state', machine.process(11, 'b'));
    await first.release();
    expect(await second.isHeld()).toBe(true);
  });

  it('goes to one only of several that find it abandoned at once, in any order of their steps', async () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const [disk, machine] = [new MemoryFiles(), new Machine()];
      await acquireStateLock(disk, 'state', machine.process(10, 'a'));
      machine.running.delete(10);
      const steps = new ShuffledSteps(seed);
      const locks = [11, 12, 13].map((pid) =>
        acquireStateLock(steps.around(disk), 'state', machine.process(pid, `start ${pid}`)),
      );
      const settled = Promise.allSettled(locks);
      await steps.run();
      const owners = (await settled).filter(({ status }) => status === 'fulfilled');
      expect(owners.length, `seed ${seed}`).toBe(1);
      expect(disk.paths(), `seed ${seed}`).toEqual([LOCK]);
    }
  });

  it('is taken over although an earlier taker died at any step', async () => {
    for (let dieAt = 0; dieAt < 12; dieAt += 1) {
      const [disk, machine] = [new MemoryFiles(), new Machine()];
      await acquireStateLock(disk, 'state', machine.process(10, 'a'));
      machine.running.delete(10);
      let calls = 0;
      const dying = around(disk, async (call) => {
        calls += 1;
        if (calls > dieAt) throw new Error('killed');
        return call();
      });
      await acquireStateLock(dying, 'state', machine.process(11, 'b')).catch(() => undefined);
      machine.running.delete(11);
      const lock = await acquireStateLock(disk, 'state', machine.process(12, 'c'));
      expect(await lock.isHeld(), `died at step ${dieAt}`).toBe(true);
    }
  });
});

describe('a state lock that cannot be had', () => {
  const owner = (of: Record<string, unknown> = {}): Uint8Array =>
    new TextEncoder().encode(
      JSON.stringify({ pid: 10, startTime: 'a', bootId: 'boot-1', token: '0'.repeat(16), ...of }),
    );
  const REMOVE = 'If no Sluice runs on this folder, remove the file.';

  it('says whose it is, and what to do', async () => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    await acquireStateLock(files, 'state', machine.process(10, 'a'));
    await expect(acquireStateLock(files, 'state', machine.process(11, 'b'))).rejects.toThrow(
      new StateHeldError(
        'Process 10 owns this state (state/lock). Stop it first (kill 10), or give this bot a state_dir of its own.',
        10,
      ),
    );
  });

  it.each([
    { what: 'a process of no number', of: { pid: 0 } },
    { what: 'a token that is too short', of: { token: '0'.repeat(15) } },
    { what: 'a token that is too long', of: { token: '0'.repeat(17) } },
    { what: 'a token of other letters', of: { token: 'g'.repeat(16) } },
    { what: 'a field that nobody knows', of: { more: 1 } },
  ])('because it tells of $what says that it cannot be read', async ({ of }) => {
    const files = new MemoryFiles();
    files.put(LOCK, owner(of));
    const refused = acquireStateLock(files, 'state', new Machine().process(11, 'b'));
    await expect(refused).rejects.toMatchObject({
      message: `${LOCK} cannot be read. ${REMOVE}`,
      pid: undefined,
      cause: expect.anything() as unknown,
    });
  });

  it('after four crashes of takers is left to a person', async () => {
    const files = new MemoryFiles();
    const token = (depth: number): string => depth.toString(16).padStart(16, '0');
    let path = LOCK;
    for (let depth = 0; depth <= 4; depth += 1) {
      files.put(path, owner({ pid: 20 + depth, token: token(depth) }));
      path = `${path}.${token(depth)}`;
    }
    const refused = acquireStateLock(files, 'state', new Machine().process(11, 'b'));
    await expect(refused).rejects.toMatchObject({
      message: expect.stringMatching(
        /^state\/lock(\.[0-9a-f]{16}){4} was left by several crashed starts\. If no Sluice runs/,
      ) as unknown,
      pid: 24,
    });
  });

  it('because it changes hands all the time says so', async () => {
    const files = new MemoryFiles();
    files.put(LOCK, owner());
    const vanishing = around(files, async (call) => call());
    vanishing.createExclusive = async () => false;
    vanishing.read = async () => undefined;
    await expect(
      acquireStateLock(vanishing, 'state', new Machine().process(11, 'b')),
    ).rejects.toMatchObject({
      message: `${LOCK} changes hands all the time: too many starts at once`,
      pid: undefined,
    });
  });

  it.each([
    { what: 'the lock tells no boot', of: { bootId: '' }, boot: 'boot-2', alive: true },
    { what: 'the system tells no boot', of: {}, boot: '', alive: true },
    { what: 'both tell another boot', of: {}, boot: 'boot-2', alive: false },
    { what: 'the lock tells no start', of: { startTime: '' }, boot: 'boot-1', alive: true },
    { what: 'both tell another start', of: { startTime: 'b' }, boot: 'boot-1', alive: false },
  ])('where $what counts its process as alive: $alive', async ({ of, boot, alive }) => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    files.put(LOCK, owner(of));
    machine.boot = boot;
    machine.running.set(10, 'a');
    const lock = acquireStateLock(files, 'state', machine.process(11, 'b'));
    if (alive) await expect(lock).rejects.toThrow('Process 10 owns this state');
    else expect((await lock).takenOverFrom).toBe(10);
  });
});

type Call = () => Promise<unknown>;

/** The same files, every call through `gate`. */
function around(files: MemoryFiles, gate: (call: Call) => Promise<unknown>): MemoryFiles {
  return new Proxy(files, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...parameters: readonly unknown[]) =>
        gate(async () => (await Reflect.apply(member, target, parameters)) as unknown);
    },
  });
}

/** Lets waiting calls go one by one, in an order that the seed decides. */
class ShuffledSteps {
  #waiting: (() => void)[] = [];
  #state: number;

  constructor(seed: number) {
    this.#state = seed * 2_654_435_761 + 1;
  }

  around(files: MemoryFiles): MemoryFiles {
    return around(files, async (call) => {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      return call();
    });
  }

  async run(): Promise<void> {
    for (;;) {
      for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
      if (this.#waiting.length === 0) return;
      this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
      const at = (this.#state >>> 8) % this.#waiting.length;
      this.#waiting.splice(at, 1)[0]?.();
    }
  }
}
