import { describe, expect, it } from 'vitest';
import type { ProcessFacts } from '../../core/ports.js';
import { MemoryFiles } from '../../../test/support/fakes/memory-files.js';
import { MemoryLocks } from '../../../test/support/fakes/memory-locks.js';
import { StateHeldError } from './state-held-error.js';
import { acquireStateLock } from './state-lock.js';

/** A machine whose processes start and end. */
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
/** The entry of an old version, which trusted process ids. */
const oldOwner = (of: Record<string, unknown> = {}): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({ pid: 10, startTime: 'a', bootId: 'boot-1', token: '0'.repeat(16), ...of }),
  );

describe('the state lock', () => {
  it('one process holds the lock until its release', async () => {
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

  it('a second daemon in the same process is refused', async () => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    const self = machine.process(10, 'a');
    await acquireStateLock(files, 'state', self);
    await expect(acquireStateLock(files, 'state', self)).rejects.toThrow(StateHeldError);
  });

  it.each([
    { name: 'its process is gone', change: (machine: Machine) => machine.running.delete(10) },
    {
      name: 'another process has its id now',
      change: (machine: Machine) => machine.running.set(10, 'later'),
    },
    {
      name: 'the machine has rebooted',
      change: (machine: Machine) => {
        machine.boot = 'boot-2';
      },
    },
  ])('the lock is taken over when $name', async ({ change }) => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    await acquireStateLock(files, 'state', machine.process(10, 'a'));
    change(machine);
    const lock = await acquireStateLock(files, 'state', machine.process(11, 'b'));
    expect(lock.takenOverFrom).toBe(10);
    expect(await lock.isHeld()).toBe(true);
    expect(files.paths()).toEqual([LOCK, LOCKED]);
  });

  it('the lock is taken over from a previous process with our own id', async () => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    await acquireStateLock(files, 'state', machine.process(1, 'first container start'));
    const lock = await acquireStateLock(files, 'state', machine.process(1, 'second'));
    expect(lock.takenOverFrom).toBe(1);
  });

  it.each([
    { name: 'start times', facts: { startTimeOf: async () => '', bootId: async () => 'boot-1' } },
    {
      name: 'boots or start times',
      facts: { startTimeOf: async () => '', bootId: async () => '' },
    },
  ])(
    'a running process id counts as alive when the system does not report $name',
    async ({ facts }) => {
      const files = new MemoryFiles();
      files.put(LOCK, oldOwner());
      const locks = new MemoryLocks().of();
      await expect(acquireStateLock(files, 'state', { pid: 11, ...facts, locks })).rejects.toThrow(
        StateHeldError,
      );
    },
  );

  it.each(['', 'not json', '{"pid":10}'])(
    'an owner file with the content %j is refused',
    async (text) => {
      const files = new MemoryFiles();
      files.put(LOCK, new TextEncoder().encode(text));
      const attempt = acquireStateLock(files, 'state', new Machine().process(11, 'b'));
      await expect(attempt).rejects.toThrow(/state\/lock cannot be read.*remove the file/);
    },
  );

  it('the lock is still held after its owner file was removed', async () => {
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

  it('the owner file decides when the locked file was replaced', async () => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    const first = await acquireStateLock(files, 'state', machine.process(10, 'a'));
    machine.locks.replaceFiles();
    const second = acquireStateLock(files, 'state', machine.process(11, 'b'));
    await expect(second).rejects.toThrow(
      'this one is a copy of it, or its owner.lock was replaced',
    );
    machine.running.delete(10);
    const third = await acquireStateLock(files, 'state', machine.process(12, 'c'));
    await first.release();
    expect(await third.isHeld()).toBe(true);
  });

  it('a release does not remove the owner file of another process', async () => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    const first = await acquireStateLock(files, 'state', machine.process(10, 'a'));
    files.put(LOCK, oldOwner());
    await first.release();
    expect(files.paths()).toEqual([LOCK, LOCKED]);
  });

  it('the lock is taken over without checking process ids when its owner had locked the same file', async () => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    await acquireStateLock(files, 'state', machine.process(10, 'a'));
    // Another container has the same ids: process 10 with this start time still runs there.
    const elsewhere = { ...machine.process(11, 'b'), locks: new MemoryLocks().of() };
    const lock = await acquireStateLock(files, 'state', elsewhere);
    expect(lock.takenOverFrom).toBe(10);
  });

  it("an unreadable owner file releases the system's lock", async () => {
    const [files, machine] = [new MemoryFiles(), new Machine()];
    files.put(LOCK, new TextEncoder().encode('not json'));
    const self = machine.process(11, 'b');
    await expect(acquireStateLock(files, 'state', self)).rejects.toThrow(StateHeldError);
    expect(await self.locks.exclusive(LOCKED)).toBeDefined();
  });

  it('the owner file of a dead process remains readable for the next start', async () => {
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

  it('exactly one of several takers gets an abandoned lock, in any order of their steps', async () => {
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

  it('the lock is taken over after an earlier taker died at any step', async () => {
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

describe('a refused state lock', () => {
  const REMOVE = 'If no Sluice runs on this folder, remove the file.';

  it('the refusal names the owner and the remedy', async () => {
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
    { what: 'a process id of 0', of: { pid: 0 } },
    { what: 'a token that is too short', of: { token: '0'.repeat(15) } },
    { what: 'a token that is too long', of: { token: '0'.repeat(17) } },
    { what: 'a token of other letters', of: { token: 'g'.repeat(16) } },
    { what: 'an unknown field', of: { more: 1 } },
  ])('an owner file with $what is refused as unreadable', async ({ of }) => {
    const files = new MemoryFiles();
    files.put(LOCK, oldOwner(of));
    const refused = acquireStateLock(files, 'state', new Machine().process(11, 'b'));
    await expect(refused).rejects.toMatchObject({
      message: `${LOCK} cannot be read. ${REMOVE}`,
      pid: undefined,
      cause: expect.anything() as unknown,
    });
  });

  it('leftovers of crashed takers of an old version do not prevent the lock', async () => {
    const files = new MemoryFiles();
    files.put(LOCK, oldOwner());
    const claim = `${LOCK}.${'0'.repeat(16)}`;
    files.put(claim, oldOwner({ pid: 20 }));
    const lock = await acquireStateLock(files, 'state', new Machine().process(11, 'b'));
    expect(await lock.isHeld()).toBe(true);
    expect(files.paths()).toContain(claim);
  });

  it('the refusal names the host of an owner in another pid namespace', async () => {
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
    // Two names of one machine or pod still share one pid namespace.
    const beside = acquireStateLock(files, 'state', inside(9, 'web-3', 'pid:[1]'));
    await expect(beside).rejects.toMatchObject({ pid: 1 });
  });

  it.each([
    { what: 'is missing', text: undefined },
    { what: 'names a process that is gone', text: oldOwner({ pid: 12 }) },
  ])('the refusal names no process while the owner file $what', async ({ text }) => {
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

  it('the refusal of an owner file that changes all the time states that', async () => {
    const files = new MemoryFiles();
    files.put(LOCK, oldOwner());
    const vanishing = around(files, async (call) => call());
    vanishing.createExclusive = async () => false;
    vanishing.read = async () => undefined;
    await expect(
      acquireStateLock(vanishing, 'state', new Machine().process(11, 'b')),
    ).rejects.toMatchObject({
      message: `${LOCK} changes its owner all the time: too many starts at once, start only one`,
      pid: undefined,
    });
  });

  it.each([
    { what: 'the lock has no boot id', of: { bootId: '' }, boot: 'boot-2', alive: true },
    { what: 'the system has no boot id', of: {}, boot: '', alive: true },
    { what: 'the boot ids differ', of: {}, boot: 'boot-2', alive: false },
    { what: 'the lock has no start time', of: { startTime: '' }, boot: 'boot-1', alive: true },
    { what: 'the start times differ', of: { startTime: 'b' }, boot: 'boot-1', alive: false },
  ])('if $what, the owner counts as alive: $alive', async ({ of, boot, alive }) => {
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

/** The same files; every call passes `gate`. */
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

/** Releases waiting calls one by one, in an order given by the seed. */
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
