import { describe, expect, it } from 'vitest';
import type { OperatorCommand } from '../../core/events.js';
import type { Files } from '../../core/ports.js';
import type { KillLevel } from '../../risk/mode.js';
import { KillSwitch } from './kill-switch.js';

const NOON = Date.UTC(2025, 4, 5, 12);

/** A daemon with one file and the commands that its engine got. */
class KillRig {
  text: string | undefined;
  writeError: Error | undefined;
  readError: Error | undefined;
  level: KillLevel | undefined;
  venueTime = NOON;
  /** Why the engine refuses a resume. */
  objection: string | undefined;
  isReady = true;
  readonly events: string[] = [];
  readonly warnings: string[] = [];
  readonly killSwitch: KillSwitch;

  constructor() {
    const files = {
      read: () => {
        if (this.readError !== undefined) return Promise.reject(this.readError);
        const { text } = this;
        return Promise.resolve(text === undefined ? undefined : new TextEncoder().encode(text));
      },
      replace: (_path: string, bytes: Uint8Array) => {
        if (this.writeError !== undefined) return Promise.reject(this.writeError);
        this.text = new TextDecoder().decode(bytes);
        this.events.push(`file ${this.text.trim()}`);
        return Promise.resolve();
      },
      remove: () => {
        this.text = undefined;
        this.events.push('file removed');
        return Promise.resolve();
      },
    } as unknown as Files;
    this.killSwitch = new KillSwitch({
      files,
      stateDir: '/state',
      logger: {
        debug: () => undefined,
        info: () => undefined,
        warn: (_fields, text) => this.warnings.push(text),
        error: () => undefined,
      },
      bot: {
        engine: Object.defineProperties(
          { resumeObjection: () => this.objection },
          { killLevel: { get: () => this.level }, isReady: { get: () => this.isReady } },
        ),
        venueTimeIn: () => this.venueTime,
        command: (command: OperatorCommand) => {
          if (command.kind === 'kill') this.level = command.level;
          if (command.kind === 'resume' && this.isReady && this.objection === undefined)
            this.level = undefined;
          this.events.push(command.kind === 'kill' ? `kill ${command.level}` : command.kind);
        },
        flushJournal: () => {
          this.events.push('journaled');
          return Promise.resolve();
        },
      } as unknown as ConstructorParameters<typeof KillSwitch>[0]['bot'],
    });
  }
}

describe('the kill switch of a daemon', () => {
  it('the file is written before the command, and the answer waits for the journal', async () => {
    const rig = new KillRig();
    await rig.killSwitch.set({ level: 'cancel' }, 'test');
    expect(rig.events).toEqual(['file cancel', 'kill cancel', 'journaled']);
    rig.events.length = 0;
    await rig.killSwitch.resume();
    expect(rig.events).toEqual(['file removed', 'resume', 'journaled']);
  });

  it('a disk that takes no file does not keep the level from the engine, and the operator learns of it', async () => {
    const rig = new KillRig();
    rig.writeError = new Error('ENOSPC');
    await expect(rig.killSwitch.set({ level: 'flatten' }, 'test')).rejects.toThrow(
      '/state/KILL cannot be written',
    );
    expect(rig.events).toEqual(['kill flatten', 'journaled']);
  });

  it('a weaker level leaves the stronger one in force', async () => {
    const rig = new KillRig();
    await rig.killSwitch.set({ level: 'flatten' }, 'test');
    expect(await rig.killSwitch.set({ level: 'pause' }, 'test')).toEqual({ level: 'flatten' });
    expect([rig.text, rig.level]).toEqual(['flatten\n', 'flatten']);
  });

  it('a file is obeyed once, and again when its level rises', async () => {
    const rig = new KillRig();
    await rig.killSwitch.check();
    rig.text = 'pause';
    await rig.killSwitch.check();
    await rig.killSwitch.check();
    rig.text = '';
    await rig.killSwitch.check();
    rig.text = 'flatten';
    await rig.killSwitch.check();
    rig.text = 'pause';
    await rig.killSwitch.check();
    expect(rig.events).toEqual(['kill pause', 'kill cancel', 'kill flatten']);
  });

  it('a check under way does not undo a resume', async () => {
    const rig = new KillRig();
    await rig.killSwitch.set({ level: 'cancel' }, 'test');
    await Promise.all([rig.killSwitch.check(), rig.killSwitch.resume(), rig.killSwitch.check()]);
    expect([rig.level, rig.text]).toEqual([undefined, undefined]);
  });

  it('a pause ends at its venue time, while running and at a start', async () => {
    const rig = new KillRig();
    await rig.killSwitch.set({ level: 'pause', until: NOON + 1_000 }, 'test');
    rig.venueTime = NOON + 999;
    await rig.killSwitch.check();
    expect(rig.level).toBe('pause');
    rig.venueTime = NOON + 1_000;
    await rig.killSwitch.check();
    expect([rig.level, rig.text]).toEqual([undefined, undefined]);

    rig.text = `pause until ${new Date(NOON).toISOString()}`;
    expect(await rig.killSwitch.read()).toBeUndefined();
    expect(rig.text).toBeUndefined();
  });

  it('a resume that the engine would refuse is refused, and the level stands over a restart', async () => {
    const rig = new KillRig();
    await rig.killSwitch.set({ level: 'flatten' }, 'test');
    rig.objection = 'a flatten is not complete';
    rig.events.length = 0;
    await expect(rig.killSwitch.resume()).rejects.toThrow(/not ended: a flatten is not complete/);
    expect([rig.events, rig.level, rig.text]).toEqual([[], 'flatten', 'flatten\n']);
    rig.objection = undefined;
    await rig.killSwitch.resume();
    expect([rig.level, rig.text]).toEqual([undefined, undefined]);
  });

  it('a resume that waits for the reconciliation and is refused then writes the file again', async () => {
    const rig = new KillRig();
    const until = NOON + 60_000;
    await rig.killSwitch.set({ level: 'pause', until }, 'test');
    rig.isReady = false;
    await rig.killSwitch.resume();
    await rig.killSwitch.check();
    expect([rig.level, rig.text]).toEqual(['pause', undefined]);
    rig.objection = 'the positions do not equal ours';
    rig.isReady = true;
    await rig.killSwitch.check();
    expect([rig.level, rig.text]).toEqual([
      'pause',
      `pause until ${new Date(until).toISOString()}\n`,
    ]);
    expect(rig.warnings).toEqual(['resume: is refused: the positions do not equal ours']);
  });

  it('the file of a refused resume is written once the disk has room, and is no weaker than one of a person', async () => {
    const rig = new KillRig();
    await rig.killSwitch.set({ level: 'cancel' }, 'test');
    rig.isReady = false;
    await rig.killSwitch.resume();
    rig.objection = 'the positions do not equal ours';
    rig.isReady = true;
    rig.writeError = new Error('ENOSPC');
    await rig.killSwitch.check();
    await rig.killSwitch.check();
    expect([rig.text, rig.warnings]).toEqual([undefined, ['/state/KILL cannot be written']]);
    rig.writeError = undefined;
    rig.text = 'flatten';
    await rig.killSwitch.check();
    expect(rig.text).toBe('flatten\n');
  });

  it('a resume that waits for the reconciliation and is accepted then leaves no file', async () => {
    const rig = new KillRig();
    await rig.killSwitch.set({ level: 'cancel' }, 'test');
    rig.isReady = false;
    await rig.killSwitch.resume();
    rig.isReady = true;
    rig.level = undefined;
    await rig.killSwitch.check();
    expect([rig.level, rig.text, rig.warnings]).toEqual([undefined, undefined, []]);
  });

  it('a file that cannot be read for a moment is reported once, and obeyed later', async () => {
    const rig = new KillRig();
    rig.text = 'cancel';
    rig.readError = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    await rig.killSwitch.check();
    await rig.killSwitch.check();
    expect(rig.warnings).toEqual(['/state/KILL cannot be read']);
    rig.readError = undefined;
    await rig.killSwitch.check();
    expect(rig.level).toBe('cancel');
  });
});
