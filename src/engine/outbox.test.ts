import { describe, expect, it } from 'vitest';
import { VENUE_TIME } from '../../test/support/builders/risk-case.js';
import type { AppendLog } from '../core/ports.js';
import type { VenueRequest } from '../core/request.js';
import { decodeJournalRecord } from '../execution/journal/journal-record.js';
import { Outbox } from './outbox.js';

/** A log whose syncs end when the test ends them. */
class FakeLog implements AppendLog {
  readonly records: string[] = [];
  readonly #calls: string[];
  readonly #name: string;
  readonly #syncs: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  appendError: Error | undefined;

  constructor(name: string, calls: string[]) {
    this.#name = name;
    this.#calls = calls;
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
    this.#calls.push(`sync ${this.#name} ${covers.join(',')}`.trimEnd());
    return new Promise((resolve, reject) => this.#syncs.push({ resolve, reject }));
  }
  deferSyncMarker(): () => void {
    this.#calls.push(`hold ${this.#name}`);
    return () => this.#calls.push(`release ${this.#name}`);
  }
  read(): readonly Uint8Array[] {
    return [];
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
  async done(): Promise<void> {
    await settled();
    this.#calls.push(`${this.#name} durable`);
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
  const calls: string[] = [];
  const journal = new FakeLog('journal', calls);
  const eventLog = new FakeLog('record', calls);
  const failures: unknown[] = [];
  const timers: (() => void)[] = [];
  const time = { now: VENUE_TIME };
  const rescue: { log: FakeLog | undefined } = { log: undefined };
  const outbox = new Outbox({
    journal,
    eventLog,
    requestPermit: (id) => calls.push(`slot ${id}`),
    send: (id, request) => calls.push(`send ${id} ${request.kind}`),
    venueNow: () => time.now,
    onUnsent: (id, { outcome }) => calls.push(`unsent ${id} ${outcome.kind}`),
    timer: (_clock, _at, run) => {
      timers.push(run);
      return () => calls.push('timer canceled');
    },
    fireTimer: (key) => calls.push(`fire ${key}`),
    notify: ({ text }) => calls.push(text),
    onJournalFailed: (error) => failures.push(error),
    openFallbackJournal: () => Promise.resolve(rescue.log),
  });
  const note = (text: string): void => {
    outbox.journal({ type: 'note', venueTime: VENUE_TIME, level: 'info', text });
  };
  return { calls: calls, journal, record: eventLog, failures, timers, time, outbox, note, rescue };
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

describe('a send of the outbox', () => {
  it('a send without a journal record leaves with its step', () => {
    const { outbox, calls } = rig();
    outbox.send(1, READ);
    expect(calls, 'not within the step').toEqual([]);
    outbox.flush();
    expect(calls).toEqual(['send 1 read-wallet']);
  });

  it('a send leaves only after the events, and then the journal, are durable', async () => {
    const { outbox, calls, note, record, journal } = rig();
    note('ATTEMPT');
    outbox.send(1, PLACE);
    outbox.flush();
    await settled();
    expect(calls).toEqual(['hold record', 'sync record']);
    await record.done();
    expect(calls.slice(2)).toEqual(['record durable', 'sync journal ATTEMPT']);
    await journal.done();
    expect(calls.slice(4)).toEqual(['journal durable', 'release record', 'send 1 place']);
  });

  it('the event log writes its sync marker when the journal cannot be written', async () => {
    const { outbox, calls, note, record, journal } = rig();
    note('ATTEMPT');
    outbox.flush();
    await record.done();
    await journal.fail(new Error('EIO'));
    expect(calls.at(-1)).toBe('release record');
  });

  it('a send of a later step without a record waits for the write under way', async () => {
    const { outbox, calls, note, record, journal } = rig();
    note('ATTEMPT');
    outbox.flush();
    await settled();
    outbox.send(2, READ);
    outbox.flush();
    await record.done();
    expect(calls).not.toContain('send 2 read-wallet');
    await journal.done();
    expect(calls.at(-1)).toBe('send 2 read-wallet');
  });

  it('sends of the same moment share one write', async () => {
    const { outbox, calls, note, record, journal } = rig();
    note('first');
    outbox.send(1, PLACE);
    outbox.flush();
    note('second');
    outbox.send(2, PLACE);
    outbox.flush();
    await record.done();
    await journal.done();
    expect(calls).toEqual([
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

  it('a send with a record during a write waits for the next write', async () => {
    const { outbox, calls, note, record, journal } = rig();
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
    expect(calls.filter((line) => line.startsWith('send'))).toEqual(['send 1 place']);
    await record.done();
    expect(journal.records, 'one write for both').toEqual(['first', 'second', 'third']);
    expect(calls.filter((line) => line.startsWith('send'))).toEqual(['send 1 place']);
    await journal.done();
    expect(calls.slice(-2)).toEqual(['send 2 place', 'send 3 place']);
    expect(calls.filter((line) => line.startsWith('sync journal'))).toHaveLength(2);
  });

  it('a send leaves at once again when everything is durable', async () => {
    const { outbox, calls, note, record, journal } = rig();
    note('first');
    outbox.flush();
    await record.done();
    await journal.done();
    outbox.send(2, READ);
    outbox.flush();
    expect(calls.at(-1)).toBe('send 2 read-wallet');
  });

  it('an order whose validity expired while it waited does not leave', async () => {
    const { outbox, calls, note, record, journal, time } = rig();
    note('ATTEMPT');
    outbox.send(1, PLACE);
    outbox.flush();
    await record.done();
    time.now += 1_001;
    await journal.done();
    expect(calls.at(-1)).toBe('unsent 1 unknown');
    expect(calls).not.toContain('send 1 place');
  });
});

describe('a failed log', () => {
  const error = new Error('no space');

  it.each(['record', 'journal'] as const)(
    '(%s) lets nothing leave any more that needs the journal',
    async (which) => {
      const { outbox, calls, note, record, journal, failures } = rig();
      note('ATTEMPT');
      outbox.send(1, PLACE);
      outbox.flush();
      await settled();
      note('later');
      outbox.send(2, PLACE);
      outbox.flush();
      if (which === 'journal') await record.done();
      await { record, journal }[which].fail(error);
      expect(failures, 'reported once').toEqual([error]);
      outbox.send(3, SET_LEVERAGE);
      note('after');
      outbox.flush();
      await settled();
      expect(calls.filter((line) => line.startsWith('send'))).toEqual([]);
      expect(calls.filter((line) => line.startsWith('unsent'))).toEqual([
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
      const { outbox, calls, note, record, journal } = rig();
      note('ATTEMPT');
      outbox.send(1, CANCEL);
      outbox.send(2, PLACE);
      outbox.flush();
      if (which === 'journal') await record.done();
      await { record, journal }[which].fail(error);
      expect(calls.slice(-2)).toEqual(['send 1 cancel', 'unsent 2 unknown']);
      note('HALTED');
      outbox.send(3, CANCEL);
      outbox.send(4, READ);
      outbox.flush();
      expect(calls.slice(-2)).toEqual(['send 3 cancel', 'send 4 read-wallet']);
    },
  );

  it('a failure without a waiter is detected by the next write', async () => {
    const { outbox, record, failures } = rig();
    outbox.onEventLogFailed(error);
    outbox.onEventLogFailed(new Error('once more'));
    await settled();
    expect(failures).toEqual([error]);
    expect(record.syncing).toBe(0);
  });

  it('a failed append is reported too', async () => {
    const { outbox, calls, note, record, journal, failures } = rig();
    journal.appendError = error;
    note('ATTEMPT');
    outbox.send(1, PLACE);
    outbox.flush();
    await record.done();
    expect(failures).toEqual([error]);
    expect(calls.filter((line) => line.startsWith('send'))).toEqual([]);
  });

  it('a failure is reported after the step, so that the engine can handle it as an event', () => {
    const { outbox, note, failures } = rig();
    note('ATTEMPT');
    outbox.flush();
    expect(failures).toEqual([]);
  });
});

describe('the fallback journal in reserved disk space', () => {
  const full = new Error('no space');

  async function failing(which: 'record' | 'journal', keptBefore: readonly string[]) {
    const parts = rig();
    const reserve = new FakeLog('reserve', parts.calls);
    reserve.records.push(...keptBefore);
    parts.rescue.log = reserve;
    parts.note('one');
    parts.note('two');
    parts.outbox.flush();
    if (which === 'journal') await parts.record.done();
    await parts[which].fail(full);
    return { ...parts, reserve };
  }

  it('the fallback journal takes the unwritten records after a marker, and continues', async () => {
    const { outbox, note, reserve } = await failing('journal', ['one']);
    expect(reserve.records).toEqual(['one', 'two', 'rescue']);
    note('HALTED');
    outbox.flush();
    await reserve.done();
    await settled();
    expect(reserve.records).toEqual(['one', 'two', 'rescue', 'HALTED']);
  });

  it('the fallback journal starts with its marker where the event log has failed', async () => {
    const { reserve } = await failing('record', []);
    expect(reserve.records).toEqual(['rescue', 'one', 'two']);
  });

  it('the fallback journal is durable when the outbox has drained', async () => {
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

  it('a failed fallback journal holds no cancel, and is not tried again', async () => {
    const { outbox, calls, note, reserve } = await failing('journal', []);
    await reserve.fail(new Error('not even that'));
    expect(calls.at(-1)).toMatch(/nothing more can be journaled.*not even that/);
    note('HALTED');
    outbox.send(3, CANCEL);
    outbox.flush();
    await settled();
    expect(calls.at(-1)).toBe('send 3 cancel');
    expect(reserve.records).not.toContain('HALTED');
  });
});

describe('events without a record', () => {
  it('events without a record become durable after a thousand steps', async () => {
    const { outbox, calls, record, journal } = rig();
    for (let step = 0; step < 999; step += 1) outbox.flush();
    expect(calls).toEqual([]);
    outbox.flush();
    await settled();
    expect(calls).toEqual(['hold record', 'sync record']);
    await record.done();
    await journal.done();
    outbox.flush();
    expect(calls.filter((line) => line.startsWith('sync'))).toHaveLength(2);
  });
});

describe('the outbox', () => {
  it('drain resolves when every record and every event is durable', async () => {
    const { outbox, calls, note, record, journal } = rig();
    let drained = false;
    note('last');
    void outbox.drain().then(() => (drained = true));
    await record.done();
    await journal.done();
    expect(drained).toBe(false);
    await record.done();
    expect(drained).toBe(true);
    expect(calls.at(-1)).toBe('record durable');
  });

  it('the outbox fires its timers by key until it stops', () => {
    const { outbox, calls, timers } = rig();
    outbox.timer('monotonic', 1, 'a');
    outbox.timer('monotonic', 2, 'b');
    timers[0]?.();
    outbox.stop();
    expect(calls).toEqual(['fire a', 'timer canceled']);
  });
});
