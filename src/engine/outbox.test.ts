import { describe, expect, it } from 'vitest';
import { VENUE_TIME } from '../../test/harness/risk-case.js';
import type { Log } from '../core/ports.js';
import type { VenueRequest } from '../core/request.js';
import { decodeJournalRecord } from '../execution/journal-record.js';
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
  read(): readonly Uint8Array[] {
    return [];
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
  async done(): Promise<void> {
    this.#told.push(`${this.#name} durable`);
    this.#syncs.shift()?.resolve();
    await settled();
  }
  async fail(error: unknown): Promise<void> {
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
  });
  const note = (text: string): void => {
    outbox.journal({ type: 'note', venueTime: VENUE_TIME, level: 'info', text });
  };
  return { told, journal, record, failures, timers, time, outbox, note };
}

const READ: VenueRequest = { kind: 'read-wallet', currency: 'USDT' };
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
    expect(told).toEqual(['sync record']);
    await record.done();
    expect(told).toEqual(['sync record', 'record durable', 'sync journal ATTEMPT']);
    await journal.done();
    expect(told.slice(3)).toEqual(['journal durable', 'send 1 place']);
  });

  it('of a later step that journals nothing waits for what is under way', async () => {
    const { outbox, told, note, record, journal } = rig();
    note('ATTEMPT');
    outbox.flush();
    outbox.send(2, READ);
    outbox.flush();
    await record.done();
    expect(told).not.toContain('send 2 read-wallet');
    await journal.done();
    expect(told.at(-1)).toBe('send 2 read-wallet');
  });

  it('of a step that journals while a write is under way waits for the next write', async () => {
    const { outbox, told, note, record, journal } = rig();
    note('first');
    outbox.send(1, PLACE);
    outbox.flush();
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

  it.each(['record', 'journal'] as const)('(%s) lets nothing leave any more', async (which) => {
    const { outbox, told, note, record, journal, failures } = rig();
    note('ATTEMPT');
    outbox.send(1, PLACE);
    outbox.flush();
    note('later');
    outbox.send(2, PLACE);
    outbox.flush();
    if (which === 'journal') await record.done();
    await { record, journal }[which].fail(error);
    expect(failures, 'told once').toEqual([error]);
    outbox.send(3, READ);
    note('after');
    outbox.flush();
    await settled();
    expect(told.filter((line) => line.startsWith('send'))).toEqual([]);
    expect(journal.records).not.toContain('later');
    await expect(outbox.drain()).rejects.toBe(error);
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
