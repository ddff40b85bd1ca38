import { describe, expect, it } from 'vitest';
import { MemoryFiles } from '../../../test/harness/memory-files.js';
import { MemoryLocks } from '../../../test/harness/memory-locks.js';
import { acquireStateLock, StateHeldError, type ProcessFacts } from './state-lock.js';

/** A machine whose processes come and go. */
class Machine {
  readonly running = new Map<number, string>();
  readonly locks = new MemoryLocks();
  boot = 'boot-1';

  process(pid: number, startTime: string): ProcessFacts {
    this.running.set(pid, startTime);
    const bornIn = this.boot;
    return {
      pid,
      startTimeOf: async (other) => this.running.get(other),
      bootId: async () => this.boot,
      locks: this.locks.of(() => this.running.get(pid) === startTime && this.boot === bornIn),
    };
  }
}

const LOCK = 'state/lock';
const LOCKED = 'state/owner.lock';
/** The text of a version that trusted the numbers of processes. */
const oldOwner = (of: Record<string, unknown> = {}): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({ pid: 10, startTime: 'a', bootId: 'boot-1', token: '0'.repeat(16), ...of }),
  );

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
    expect(files.paths()).toEqual([LOCK, LOCKED]);
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
    files.put(LOCK, oldOwner());
    const locks = new MemoryLocks().of();
    await expect(acquireStateLock(files, 'state', { pid: 11, ...facts, locks })).rejects.toThrow(
      StateHeldError,
    );
  });

  it.each(['', 'not json', '{"pid":10}'])('is not judged when it reads %j', async (text) => {
    const files = new MemoryFiles();
    files.put(LOCK, new TextEncoder().encode(text));
    const attempt = acquireStateLock(files, 'state', new Machine().process(11, 'b'));
    await expect(attempt).rejects.toThrow(/state\/lock cannot be read.*remove the file/);
  });

  it('is held on although somebody removed the text that names its owner', async () => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    const first = await acquireStateLock(files, 'state', machine.process(10, 'a'));
    await files.remove(LOCK);
    expect(await first.isHeld()).toBe(false);
    const second = acquireStateLock(files, 'state', machine.process(11, 'b'));
    await expect(second).rejects.toMatchObject({
      message: `another process is taking this state now (it has locked ${LOCKED}). ${LOCK} names it in a moment: stop it first, or give this bot a state_dir of its own.`,
      pid: undefined,
    });
  });

  it('is judged by its text where somebody has replaced the locked file', async () => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    const first = await acquireStateLock(files, 'state', machine.process(10, 'a'));
    machine.locks.replaceFiles();
    const second = acquireStateLock(files, 'state', machine.process(11, 'b'));
    await expect(second).rejects.toThrow('Process 10 owns this state');
    machine.running.delete(10);
    const third = await acquireStateLock(files, 'state', machine.process(12, 'c'));
    await first.release();
    expect(await third.isHeld()).toBe(true);
  });

  it('removes nothing on release where the text names somebody else by then', async () => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    const first = await acquireStateLock(files, 'state', machine.process(10, 'a'));
    files.put(LOCK, oldOwner());
    await first.release();
    expect(files.paths()).toEqual([LOCK, LOCKED]);
  });

  it('is taken over without a look at numbers when its process had locked the very file', async () => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    await acquireStateLock(files, 'state', machine.process(10, 'a'));
    // Another container has the same numbers: there, process 10 with this start runs on.
    const elsewhere = { ...machine.process(11, 'b'), locks: new MemoryLocks().of() };
    const lock = await acquireStateLock(files, 'state', elsewhere);
    expect(lock.takenOverFrom).toBe(10);
  });

  it("lets go of the system's lock when the text cannot be judged", async () => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    files.put(LOCK, new TextEncoder().encode('not json'));
    const self = machine.process(11, 'b');
    await expect(acquireStateLock(files, 'state', self)).rejects.toThrow(StateHeldError);
    expect(await self.locks.exclusive(LOCKED)).toBeDefined();
  });

  it('keeps the text where the next one can read who it was', async () => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    const self = {
      ...machine.process(10, 'a'),
      host: 'web 2',
      pidNamespace: async () => 'pid:[1]',
    };
    await acquireStateLock(files, 'state', self);
    expect(JSON.parse(new TextDecoder().decode(files.peek(LOCK)))).toEqual({
      pid: 10,
      startTime: 'a',
      bootId: 'boot-1',
      token: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown,
      host: 'web-2',
      pidNamespace: 'pid:[1]',
      lockedFile: 'file-1',
    });
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
      expect(disk.paths(), `seed ${seed}`).toEqual([LOCK, LOCKED]);
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
    files.put(LOCK, oldOwner(of));
    const refused = acquireStateLock(files, 'state', new Machine().process(11, 'b'));
    await expect(refused).rejects.toMatchObject({
      message: `${LOCK} cannot be read. ${REMOVE}`,
      pid: undefined,
      cause: expect.anything() as unknown,
    });
  });

  it("is in nobody's way because of what crashed takers of an old version left", async () => {
    const files = new MemoryFiles();
    files.put(LOCK, oldOwner());
    const claim = `${LOCK}.${'0'.repeat(16)}`;
    files.put(claim, oldOwner({ pid: 20 }));
    const lock = await acquireStateLock(files, 'state', new Machine().process(11, 'b'));
    expect(await lock.isHeld()).toBe(true);
    expect(files.paths()).toContain(claim);
  });

  it('says where the owner is when its number means nothing here', async () => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    const inside = (pid: number, host: string, namespace: string): ProcessFacts => ({
      ...machine.process(pid, String(pid)),
      host,
      pidNamespace: async () => namespace,
    });
    await acquireStateLock(files, 'state', inside(1, 'web-2', 'pid:[1]'));
    for (const other of [inside(7, 'web-3', 'pid:[2]'), inside(8, 'web-3', '')]) {
      await expect(acquireStateLock(files, 'state', other)).rejects.toMatchObject({
        message: `Process 1 on web-2, in another container or on another machine, owns this state (${LOCK}). Stop it there first, or give this bot a state_dir of its own.`,
        pid: undefined,
      });
    }
    // Two names of one machine, or of one pod, are one set of numbers all the same.
    const beside = acquireStateLock(files, 'state', inside(9, 'web-3', 'pid:[1]'));
    await expect(beside).rejects.toMatchObject({ pid: 1 });
  });

  it.each([
    { what: 'is missing', text: undefined },
    { what: 'names a process that is gone', text: oldOwner({ pid: 12 }) },
  ])('does not send anybody to a dead process while the text $what', async ({ text }) => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    await machine.process(10, 'a').locks.exclusive(LOCKED);
    files.put(LOCKED, new Uint8Array());
    if (text !== undefined) files.put(LOCK, text);
    const second = acquireStateLock(files, 'state', machine.process(11, 'b'));
    await expect(second).rejects.toMatchObject({
      message: expect.stringMatching(/^another process is taking this state now/) as unknown,
      pid: undefined,
    });
  });

  it('because it changes hands all the time says so', async () => {
    const files = new MemoryFiles();
    files.put(LOCK, oldOwner());
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
    files.put(LOCK, oldOwner(of));
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
