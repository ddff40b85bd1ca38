import { describe, expect, it } from 'vitest';
import { ManualTime, memoryLogger } from '../../../test/support/fakes/manual-ports.js';
import { MemoryFiles } from '../../../test/support/fakes/memory-files.js';
import { SafetyRefusal } from '../../core/command-errors.js';
import type { Outcome } from '../../core/request.js';
import { writeHeartbeat, type DaemonHeartbeat } from './heartbeat-file.js';
import { readIncidents, type IncidentLine } from './incident-file.js';
import type { OpenEntry } from './open-entries.js';
import { Supervisor, type SupervisorParts } from './supervisor.js';

const STATE = '/state';
const AFTER_MS = 10_000;
const YES: Outcome<null> = { kind: 'yes', value: null };
const no = (code: 'order-not-open' | 'order-not-found' | 'locked'): Outcome<null> => ({
  kind: 'no',
  code,
  text: code,
  status: 400,
});
const entry = (id: string): OpenEntry => ({
  clientOrderId: id,
  symbol: 'BTCUSDT',
  ref: { clientOrderId: id },
});

/** A supervisor on a clock and a disk of the test's own. */
class Rig {
  readonly time = new ManualTime();
  readonly files = new MemoryFiles();
  readonly logger = memoryLogger();
  readonly lines: IncidentLine[] = [];
  readonly sent: string[] = [];
  answers: Outcome<null>[] = [];
  answering = false;
  entries: SupervisorParts['entries'] = () => Promise.resolve([entry('a'), entry('b')]);
  onSend: () => Promise<void> = () => Promise.resolve();
  #count = 0;
  readonly supervisor = new Supervisor({
    files: this.files,
    clock: this.time,
    scheduler: this.time,
    logger: this.logger,
    stateDir: STATE,
    afterMs: AFTER_MS,
    isAnswering: () => Promise.resolve(this.answering),
    entries: () => this.entries(),
    openVenue: () =>
      Promise.resolve({
        acquirePermit: () => Promise.resolve(),
        cancelOrder: async (ref) => {
          this.sent.push('clientOrderId' in ref ? ref.clientOrderId : ref.orderId);
          await this.onSend();
          return this.answers.shift() ?? no('order-not-open');
        },
        close: () => Promise.resolve(),
      }),
    onLine: (line) => this.lines.push(line),
  });

  async beat(fields: Partial<DaemonHeartbeat> = {}): Promise<void> {
    this.#count += 1;
    await writeHeartbeat(this.files, STATE, {
      v: 1,
      run: 'r1',
      pid: 7,
      count: this.#count,
      state: 'running',
      candle: null,
      utcMs: this.time.utcMs(),
      ...fields,
    });
  }

  /** Looks every second for so long. @returns the orders whose cancels left, in order */
  async watch(forMs: number): Promise<readonly string[]> {
    for (let ms = 0; ms < forMs; ms += 1_000) {
      await this.time.advance(1_000);
      await this.supervisor.step();
    }
    return this.sent;
  }
}

describe('a supervisor', () => {
  it('does nothing in a folder where no daemon ever had a heartbeat', async () => {
    const rig = new Rig();
    expect(await rig.watch(60_000)).toEqual([]);
  });

  it('cancels each entry once when no beat came for the time, and not a second before', async () => {
    const rig = new Rig();
    await rig.beat();
    await rig.supervisor.step();
    expect(await rig.watch(AFTER_MS - 1_000)).toEqual([]);
    expect(await rig.watch(1_000)).toEqual(['a', 'b']);
    expect(await rig.watch(60_000)).toEqual(['a', 'b']);
    expect(rig.lines.map(({ kind }) => kind)).toEqual([
      'silent',
      'cancel',
      'answer',
      'cancel',
      'answer',
    ]);
  });

  it('does nothing after a planned stop', async () => {
    const rig = new Rig();
    await rig.beat({ state: 'stopped' });
    expect(await rig.watch(60_000)).toEqual([]);
  });

  it('does nothing while beats come, however rarely within the time', async () => {
    const rig = new Rig();
    for (let round = 0; round < 6; round += 1) {
      await rig.beat();
      await rig.watch(AFTER_MS - 1_000);
    }
    expect(rig.sent).toEqual([]);
  });

  it('takes another owner of the folder for a sign of life', async () => {
    const rig = new Rig();
    await rig.beat();
    await rig.watch(AFTER_MS - 2_000);
    rig.files.put(`${STATE}/lock`, new TextEncoder().encode('{"pid":8}'));
    await rig.watch(AFTER_MS - 2_000);
    expect(rig.sent).toEqual([]);
    await rig.watch(3_000);
    expect(rig.sent).toEqual(['a', 'b']);
  });

  it('does nothing while the daemon answers on its channel, and warns', async () => {
    const rig = new Rig();
    rig.answering = true;
    await rig.beat();
    expect(await rig.watch(3 * AFTER_MS)).toEqual([]);
    expect(rig.logger.lines.map(({ message }) => message)).toContain(
      'the heartbeat has stopped, but the daemon answers: nothing is canceled',
    );
    rig.answering = false;
    expect(await rig.watch(AFTER_MS)).toEqual(['a', 'b']);
  });

  it('counts no time in which it did not look itself', async () => {
    const rig = new Rig();
    await rig.beat();
    await rig.supervisor.step();
    await rig.time.advance(3_600_000);
    await rig.supervisor.step();
    expect(rig.sent, 'the machine slept').toEqual([]);
  });

  it('sends nothing more from the first beat on, in the middle of a round too', async () => {
    const rig = new Rig();
    await rig.beat();
    await rig.supervisor.step();
    rig.onSend = () => rig.beat();
    await rig.watch(AFTER_MS);
    expect(rig.sent).toEqual(['a']);
    await rig.watch(3_000);
    expect(rig.sent).toEqual(['a']);
    expect(rig.lines.at(-1)).toMatchObject({ kind: 'over' });
  });

  it('repeats an acknowledged, refused or unanswered cancel until the order has ended', async () => {
    const rig = new Rig();
    rig.entries = () => Promise.resolve([entry('a')]);
    rig.answers = [
      YES,
      no('locked'),
      { kind: 'unknown', cause: 'no answer', sent: true },
      no('order-not-open'),
    ];
    await rig.beat();
    await rig.watch(AFTER_MS + 60_000);
    expect(rig.sent).toEqual(['a', 'a', 'a', 'a']);
    expect(rig.lines.flatMap((line) => (line.kind === 'answer' ? [line.outcome] : []))).toEqual([
      'acknowledged',
      'refused',
      'unknown',
      'ended',
    ]);
  });

  it('repeats the cancel of an order that the venue does not know for a minute: it may land late', async () => {
    const rig = new Rig();
    rig.entries = () => Promise.resolve([entry('a')]);
    rig.answers = Array.from({ length: 20 }, () => no('order-not-found'));
    await rig.beat();
    await rig.watch(AFTER_MS + 50_000);
    expect(rig.sent.length).toBeGreaterThan(3);
    await rig.watch(60_000);
    const { length } = rig.sent;
    await rig.watch(60_000);
    expect(rig.sent).toHaveLength(length);
  });

  it('cancels nothing while the journal cannot be read, and reads it again', async () => {
    const rig = new Rig();
    let reads = 0;
    rig.entries = () => {
      reads += 1;
      return reads < 3 ? Promise.reject(new Error('torn')) : Promise.resolve([entry('a')]);
    };
    await rig.beat();
    await rig.watch(AFTER_MS + 10_000);
    expect(reads).toBeGreaterThanOrEqual(3);
    expect(rig.sent).toEqual(['a']);
  });

  it('ends at the journal of another account', async () => {
    const rig = new Rig();
    rig.entries = () => Promise.reject(new SafetyRefusal('another account'));
    await rig.beat();
    await expect(rig.watch(2 * AFTER_MS)).rejects.toThrow('another account');
  });

  it('makes each cancel durable in its own file before it leaves, and never writes another', async () => {
    const rig = new Rig();
    let durable = 0;
    rig.onSend = async () => {
      const [incident] = await readIncidents(rig.files, STATE);
      durable = incident?.cancels.length ?? 0;
      expect(durable).toBe(rig.sent.length);
    };
    await rig.beat();
    await rig.watch(AFTER_MS + 1_000);
    expect(durable).toBe(2);
    expect(rig.files.paths()).toEqual([
      `${STATE}/heartbeat.json`,
      `${STATE}/supervisor/incidents.jsonl`,
    ]);
    expect(await readIncidents(rig.files, STATE)).toMatchObject([
      { run: 'r1', silentMs: AFTER_MS, cancels: ['a', 'b'] },
    ]);
  });
});
