import type { Mutant } from './mutant.js';

/** What is durable before bytes leave, and what a start believes of its own disk. */
export const JOURNAL_MUTANTS: readonly Mutant[] = [
  {
    name: 'bytes leave while the journal is being written',
    in: 'Outbox.flush',
    find: 'if (write === undefined || this.#failure !== undefined) sendAll();',
    replace: 'if (write !== null) sendAll();',
    hazard: 'J7, K11',
  },
  {
    name: 'bytes leave where the journal could not be written',
    in: 'Outbox.#holdReason',
    find: 'if (this.#failure !== undefined && !isSafeToRepeat(request)) return JOURNAL_UNAVAILABLE;',
    replace: '',
    hazard: 'K1, K3',
  },
  {
    name: 'what waited for the disk leaves however late it is',
    in: 'Outbox.#holdReason',
    find: 'return this.#isExpired(request) ? EXPIRED : undefined;',
    replace: 'return undefined;',
    hazard: 'J1',
  },
  {
    name: 'skip fdatasync',
    in: 'LogWriter.#write',
    find: `await this.#file.append(bytes);
      await this.#file.sync();`,
    replace: 'await this.#file.append(bytes);',
    hazard: 'K3, K4',
  },
  {
    name: 'durable is promised before it is',
    in: 'LogWriter.#write',
    find: `await this.#guarded(async () => {
      await this.#file.append(bytes);
      await this.#file.sync();
    });`,
    replace: 'void this.#file.append(bytes);',
    hazard: 'K4, K11',
  },
  {
    name: 'a failed sync is tried again',
    in: 'LogWriter.#guarded',
    find: `this.#failure = new LogWriteError(this.#paths.log, error);
      throw this.#failure;`,
    replace: 'await this.#file.sync().catch(() => undefined);',
    hazard: 'K1, K3',
  },
  {
    name: 'a checksum is decoration',
    in: 'readFrame',
    find: "if (view.getUint32(start + 4, true) !== frameCrc(bytes)) return 'its checksum does not match';",
    replace: '',
    hazard: 'K5',
  },
  {
    name: 'the journal is cut where it cannot be read',
    in: 'readSynced',
    find: `if (fault !== undefined) {
    throw new LogCorruptError({ path: paths.log, ...fault, paths, position });
  }`,
    replace: 'if (fault !== undefined) return { payloads, base: undefined, end };',
    hazard: 'K5',
  },
  {
    name: 'nobody compares the journal with what was promised',
    in: 'readContents',
    find: 'position: fresh ?? head?.position ?? GENESIS };',
    replace: 'position: GENESIS };',
    hazard: 'K4, K5',
  },
  {
    name: 'two daemons may share a state folder',
    in: 'acquireStateLock',
    find: 'if (locked === undefined) throw await lockedElsewhereError({ files, processes }, paths);',
    replace:
      'if (locked === undefined) return { takenOverFrom: 0, isHeld: async () => true, release: async () => {} };',
    hazard: 'J12',
  },
  {
    name: 'a place is safe to repeat without a journal',
    in: 'isSafeToRepeat',
    find: "kind === 'cancel' || kind === 'find-order'",
    replace: "kind === 'place' || kind === 'cancel' || kind === 'find-order'",
    hazard: 'K1, K3',
  },
  {
    name: 'what is appended counts as durable',
    in: 'Outbox.#write',
    find: `for (const bytes of records) journal.append(bytes);
      await journal.sync();`,
    replace: 'for (const bytes of records) journal.append(bytes);',
    hazard: 'K3, K4',
  },
  {
    name: 'whole records beyond the promise are trusted as they are',
    in: 'rewriteUnsynced',
    find: 'if (unsynced.length > 0) await files.writeAt(paths.log, synced.bytes, unsynced);',
    replace: '',
    hazard: 'K3',
  },
  {
    name: 'whole records beyond the promise stay without one',
    in: 'rewriteUnsynced',
    find: 'if (unsynced.length === 0 && !damaged && !headIsBehind) return generation;',
    replace: 'if (!damaged && !headIsBehind) return generation;',
    hazard: 'K4',
  },
  {
    name: 'a torn tail stays where it is',
    in: 'prepareForWriting',
    find: 'if ((fileBytes ?? 0) > end.bytes) await files.truncate(paths.log, end.bytes);',
    replace: '',
    hazard: 'K5',
  },
  {
    name: 'the promise goes before the compacted journal',
    in: 'compactFramedLog',
    find: `await files.replace(paths.log, frames.bytes);
    const slot = slotOf({ generation: head.generation + 1, position: frames.end });
    await files.writeAt(paths.head, slot.offset, slot.bytes);`,
    replace: `const slot = slotOf({ generation: head.generation + 1, position: frames.end });
    await files.writeAt(paths.head, slot.offset, slot.bytes);
    await files.replace(paths.log, frames.bytes);`,
    hazard: 'K6, K7',
  },
  {
    name: 'a compaction writes over the journal in place',
    in: 'compactFramedLog',
    find: 'await files.replace(paths.log, frames.bytes);',
    replace: `await files.truncate(paths.log, 0);
    await files.writeAt(paths.log, 0, frames.bytes);`,
    hazard: 'K6, K7',
  },
  {
    name: 'a compaction that was cut off is damage',
    in: 'freshlyCompacted',
    find: 'return base && isSameLogPosition(base.replaces, synced) ? base.snapshot : undefined;',
    replace: 'return undefined;',
    hazard: 'K6',
  },
  {
    name: 'a compaction forgets what has ended',
    in: 'retainedOf',
    find: 'return begins ? [pastRecordOf(order, filledAt.get(order.clientOrderId) ?? record.venueTime)] : [];',
    replace: 'return [];',
    hazard: 'K6, M6',
  },
  {
    name: 'a compaction keeps of an open order that it was wanted',
    in: 'retainedOf',
    find: 'if (order === undefined) return [record];',
    replace: "if (order === undefined) return record.type === 'intent' ? [record] : [];",
    hazard: 'K6, J7',
  },
  {
    name: 'a compaction forgets where positions stand',
    in: 'compactedRecords',
    find: '...positionRecords(positions, recover(retained, account).positions, venueTime),',
    replace: '',
    hazard: 'K6, G5',
  },
  {
    name: 'a replay goes on where events are no longer recorded',
    in: 'ReplaySink.constructor',
    find: 'this.#journal = rescue < 0 ? current : current.slice(0, rescue);',
    replace: 'this.#journal = rescue < 0 ? current : current.slice(0);',
    hazard: 'K1, M6',
  },
  {
    name: 'what is decided is durable before what it stands on',
    in: 'Outbox.#write',
    find: `await eventLog.sync();
      this.#unwritten = { records, startIndex: journal.count };`,
    replace: 'this.#unwritten = { records, startIndex: journal.count };',
    hazard: 'K4, M6',
  },
  {
    name: 'the promise of what was decided on waits for ever',
    in: 'Outbox.#write',
    find: 'release();',
    replace: '',
    hazard: 'K4',
  },
];
