import { describe, expect, it } from 'vitest';
import { VENUE_TIME } from '../../test/harness/risk-case.js';
import type { Log } from '../core/ports.js';
import type { VenueRequest } from '../core/request.js';
import { decodeJournalRecord } from '../execution/journal/journal-record.js';
import { Outbox } from './outbox.js';

/** A log whose syncs end when a test says so. */
class FakeLog implements Log {
  readonly records: string[] = [];
  readonly #told: string[];
  readonly #name: string;
  readonly #syncs: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  appendError: Error | undefined;

  constructor(name: string, told: string[]) {
    this.#name = name;
    this.#told = told;
  }
  get count(): number {
    return this.records.length;
  }
  get syncing(): number {
    return this.#syncs.length;
  }
  append(bytes: Uint8Array): void {
    if (this.appendError !== undefined) throw this.appendError;
    const record = decodeJournalRecord(bytes);
    this.records.push(record.type === 'note' ? record.text : record.type);
  }
  sync(): Promise<void> {
    const covers = [...this.records];
    this.#told.push(`sync ${this.#name} ${covers.join(',')}`.trimEnd());
    return new Promise((resolve, reject) => this.#syncs.push({ resolve, reject }));
  }
  hold(): () => void {
    this.#told.push(`hold ${this.#name}`);
    return () => this.#told.push(`release ${this.#name}`);
  }
  read(): readonly Uint8Array[] {
    return [];
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
  async done(): Promise<void> {
    await settled();
    this.#told.push(`${this.#name} durable`);
    this.#syncs.shift()?.resolve();
    await settled();
  }
  async fail(error: unknown): Promise<void> {
    await settled();
    this.#syncs.shift()?.reject(error);
    await settled();
  }
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

function rig() {
  const told: string[] = [];
  const journal = new FakeLog('journal', told);
  const record = new FakeLog('record', told);
  const failures: unknown[] = [];
  const timers: (() => void)[] = [];
  const time = { now: VENUE_TIME };
  const rescue: { log: FakeLog | undefined } = { log: undefined };
  const outbox = new Outbox({
    journal,
    record,
    slot: (id) => told.push(`slot ${id}`),
    send: (id, request) => told.push(`send ${id} ${request.kind}`),
    venueNow: () => time.now,
    unsent: (id, { outcome }) => told.push(`unsent ${id} ${outcome.kind}`),
    timer: (_clock, _at, run) => {
      timers.push(run);
      return () => told.push('timer canceled');
    },
    fire: (key) => told.push(`fire ${key}`),
    notify: ({ text }) => told.push(text),
    failed: (error) => failures.push(error),
    rescue: () => Promise.resolve(rescue.log),
  });
  const note = (text: string): void => {
    outbox.journal({ type: 'note', venueTime: VENUE_TIME, level: 'info', text });
  };
  return { told, journal, record, failures, timers, time, outbox, note, rescue };
}

const READ: VenueRequest = { kind: 'read-wallet', currency: 'USDT' };
const CANCEL: VenueRequest = { kind: 'cancel', order: { orderId: 'o' } };
const SET_LEVERAGE = { kind: 'set-leverage' } as unknown as VenueRequest;
const PLACE = {
  kind: 'place',
  clientOrderId: 'id',
  terms: {},
  validUntil: VENUE_TIME + 1_000,
} as unknown as VenueRequest;

describe('a send', () => {
  it('without anything journaled leaves with the step', () => {
    const { outbox, told } = rig();
    outbox.send(1, READ);
    expect(told, 'not within the step').toEqual([]);
    outbox.flush();
    expect(told).toEqual(['send 1 read-wallet']);
  });

  it('leaves only when the events, and then the journal, are durable', async () => {
    const { outbox, told, note, record, journal } = rig();
    note('ATTEMPT');
    outbox.send(1, PLACE);
    outbox.flush();
    await settled();
    expect(told).toEqual(['hold record', 'sync record']);
    await record.done();
    expect(told.slice(2)).toEqual(['record durable', 'sync journal ATTEMPT']);
    await journal.done();
    expect(told.slice(4)).toEqual(['journal durable', 'release record', 'send 1 place']);
  });

  it('lets the record promise what it has when the journal cannot be written', async () => {
    const { outbox, told, note, record, journal } = rig();
    note('ATTEMPT');
    outbox.flush();
    await record.done();
    await journal.fail(new Error('EIO'));
    expect(told.at(-1)).toBe('release record');
  });

  it('of a later step that journals nothing waits for what is under way', async () => {
    const { outbox, told, note, record, journal } = rig();
    note('ATTEMPT');
    outbox.flush();
    await settled();
    outbox.send(2, READ);
    outbox.flush();
    await record.done();
    expect(told).not.toContain('send 2 read-wallet');
    await journal.done();
    expect(told.at(-1)).toBe('send 2 read-wallet');
  });

  it('shares the write of the steps of the same moment', async () => {
    const { outbox, told, note, record, journal } = rig();
    note('first');
    outbox.send(1, PLACE);
    outbox.flush();
    note('second');
    outbox.send(2, PLACE);
    outbox.flush();
    await record.done();
    await journal.done();
    expect(told).toEqual([
      'hold record',
      'sync record',
      'record durable',
      'sync journal first,second',
      'journal durable',
      'release record',
      'send 1 place',
      'send 2 place',
    ]);
  });

  it('of a step that journals while a write is under way waits for the next write', async () => {
    const { outbox, told, note, record, journal } = rig();
    note('first');
    outbox.send(1, PLACE);
    outbox.flush();
    await settled();
    note('second');
    outbox.send(2, PLACE);
    outbox.flush();
    note('third');
    outbox.send(3, PLACE);
    outbox.flush();
    await record.done();
    await journal.done();
    expect(told.filter((line) => line.startsWith('send'))).toEqual(['send 1 place']);
    await record.done();
    expect(journal.records, 'one write for both').toEqual(['first', 'second', 'third']);
    expect(told.filter((line) => line.startsWith('send'))).toEqual(['send 1 place']);
    await journal.done();
    expect(told.slice(-2)).toEqual(['send 2 place', 'send 3 place']);
    expect(told.filter((line) => line.startsWith('sync journal'))).toHaveLength(2);
  });

  it('leaves at once again when all is durable', async () => {
    const { outbox, told, note, record, journal } = rig();
    note('first');
    outbox.flush();
    await record.done();
    await journal.done();
    outbox.send(2, READ);
    outbox.flush();
    expect(told.at(-1)).toBe('send 2 read-wallet');
  });

  it('of an order whose validity ran out while it waited does not leave', async () => {
    const { outbox, told, note, record, journal, time } = rig();
    note('ATTEMPT');
    outbox.send(1, PLACE);
    outbox.flush();
    await record.done();
    time.now += 1_001;
    await journal.done();
    expect(told.at(-1)).toBe('unsent 1 unknown');
    expect(told).not.toContain('send 1 place');
  });
});

describe('a log that fails', () => {
  const error = new Error('no space');

  it.each(['record', 'journal'] as const)(
    '(%s) lets nothing leave any more that needs the journal',
    async (which) => {
      const { outbox, told, note, record, journal, failures } = rig();
      note('ATTEMPT');
      outbox.send(1, PLACE);
      outbox.flush();
      await settled();
      note('later');
      outbox.send(2, PLACE);
      outbox.flush();
      if (which === 'journal') await record.done();
      await { record, journal }[which].fail(error);
      expect(failures, 'told once').toEqual([error]);
      outbox.send(3, SET_LEVERAGE);
      note('after');
      outbox.flush();
      await settled();
      expect(told.filter((line) => line.startsWith('send'))).toEqual([]);
      expect(told.filter((line) => line.startsWith('unsent'))).toEqual([
        'unsent 1 unknown',
        'unsent 2 unknown',
        'unsent 3 unknown',
      ]);
      expect(journal.records).not.toContain('later');
      await expect(outbox.drain()).rejects.toBe(error);
    },
  );

  it.each(['record', 'journal'] as const)(
    '(%s) still lets cancels and reads out, and waits for nothing',
    async (which) => {
      const { outbox, told, note, record, journal } = rig();
      note('ATTEMPT');
      outbox.send(1, CANCEL);
      outbox.send(2, PLACE);
      outbox.flush();
      if (which === 'journal') await record.done();
      await { record, journal }[which].fail(error);
      expect(told.slice(-2)).toEqual(['send 1 cancel', 'unsent 2 unknown']);
      note('HALTED');
      outbox.send(3, CANCEL);
      outbox.send(4, READ);
      outbox.flush();
      expect(told.slice(-2)).toEqual(['send 3 cancel', 'send 4 read-wallet']);
    },
  );

  it('when nobody waits is noticed by the next write', async () => {
    const { outbox, record, failures } = rig();
    outbox.recordFailed(error);
    outbox.recordFailed(new Error('once more'));
    await settled();
    expect(failures).toEqual([error]);
    expect(record.syncing).toBe(0);
  });

  it('on append is told as well', async () => {
    const { outbox, told, note, record, journal, failures } = rig();
    journal.appendError = error;
    note('ATTEMPT');
    outbox.send(1, PLACE);
    outbox.flush();
    await record.done();
    expect(failures).toEqual([error]);
    expect(told.filter((line) => line.startsWith('send'))).toEqual([]);
  });

  it('is told of after the step, so that the engine can meet it as an event', () => {
    const { outbox, note, failures } = rig();
    note('ATTEMPT');
    outbox.flush();
    expect(failures).toEqual([]);
  });
});

describe('the reserve of a journal that has no room', () => {
  const full = new Error('no space');

  async function failing(which: 'record' | 'journal', keptBefore: readonly string[]) {
    const parts = rig();
    const reserve = new FakeLog('reserve', parts.told);
    reserve.records.push(...keptBefore);
    parts.rescue.log = reserve;
    parts.note('one');
    parts.note('two');
    parts.outbox.flush();
    if (which === 'journal') await parts.record.done();
    await parts[which].fail(full);
    return { ...parts, reserve };
  }

  it('takes what the journal did not, says so, and goes on', async () => {
    const { outbox, note, reserve } = await failing('journal', ['one']);
    expect(reserve.records).toEqual(['one', 'two', 'rescue']);
    note('HALTED');
    outbox.flush();
    await reserve.done();
    await settled();
    expect(reserve.records).toEqual(['one', 'two', 'rescue', 'HALTED']);
  });

  it('begins with the word that no event is recorded, where the record has failed', async () => {
    const { reserve } = await failing('record', []);
    expect(reserve.records).toEqual(['rescue', 'one', 'two']);
  });

  it('is durable when the outbox has drained', async () => {
    const { outbox, note, reserve } = await failing('journal', []);
    note('HALTED');
    let drained = false;
    const drain = outbox.drain().catch(() => (drained = true));
    await settled();
    expect(drained).toBe(false);
    await reserve.done();
    await reserve.done();
    await drain;
    expect(drained).toBe(true);
  });

  it('that cannot be written either holds back no cancel, and is not tried again', async () => {
    const { outbox, told, note, reserve } = await failing('journal', []);
    await reserve.fail(new Error('not even that'));
    expect(told.at(-1)).toMatch(/nothing more can be journaled.*not even that/);
    note('HALTED');
    outbox.send(3, CANCEL);
    outbox.flush();
    await settled();
    expect(told.at(-1)).toBe('send 3 cancel');
    expect(reserve.records).not.toContain('HALTED');
  });
});

describe('events that lead to no record', () => {
  it('are made durable after a thousand steps', async () => {
    const { outbox, told, record, journal } = rig();
    for (let step = 0; step < 999; step += 1) outbox.flush();
    expect(told).toEqual([]);
    outbox.flush();
    await settled();
    expect(told).toEqual(['hold record', 'sync record']);
    await record.done();
    await journal.done();
    outbox.flush();
    expect(told.filter((line) => line.startsWith('sync'))).toHaveLength(2);
  });
});

describe('the outbox', () => {
  it('drains: everything journaled, and every event, is durable when it resolves', async () => {
    const { outbox, told, note, record, journal } = rig();
    let drained = false;
    note('last');
    void outbox.drain().then(() => (drained = true));
    await record.done();
    await journal.done();
    expect(drained).toBe(false);
    await record.done();
    expect(drained).toBe(true);
    expect(told.at(-1)).toBe('record durable');
  });

  it('fires its timers by key, until it stops', () => {
    const { outbox, told, timers } = rig();
    outbox.timer('monotonic', 1, 'a');
    outbox.timer('monotonic', 2, 'b');
    timers[0]?.();
    outbox.stop();
    expect(told).toEqual(['fire a', 'timer canceled']);
  });
});
