import type { Mutant } from './mutant.js';

const OUTBOX = 'src/engine/outbox.ts';
const LOG = 'src/execution/log/framed-log.ts';
const CONTENTS = 'src/execution/log/log-contents.ts';
const FRAME = 'src/execution/log/log-frame.ts';
const LOCK = 'src/execution/log/state-lock.ts';
const COMPACTION = 'src/execution/log/log-compaction.ts';
const KEPT = 'src/execution/journal/journal-compaction.ts';

/** What is durable before bytes leave, and what a start believes of its own disk. */
export const JOURNAL_MUTANTS: readonly Mutant[] = [
  {
    name: 'bytes leave while the journal is being written',
    file: OUTBOX,
    from: 'if (durable === undefined || this.#broken !== undefined) sendAll();',
    to: 'if (durable !== null) sendAll();',
    hazard: 'J7, K11',
  },
  {
    name: 'bytes leave where the journal could not be written',
    file: OUTBOX,
    from: '    if (this.#broken !== undefined && !isSafeToRepeat(request)) return NOT_JOURNALED;\n',
    to: '',
    hazard: 'K1, K3',
  },
  {
    name: 'what waited for the disk leaves however late it is',
    file: OUTBOX,
    from: 'return this.#isLate(request) ? TOO_LATE : undefined;',
    to: 'return undefined;',
    hazard: 'J1',
  },
  {
    name: 'skip fdatasync',
    file: LOG,
    from: '      await this.#file.append(bytes);\n      await this.#file.sync();\n',
    to: '      await this.#file.append(bytes);\n',
    hazard: 'K3, K4',
  },
  {
    name: 'durable is promised before it is',
    file: LOG,
    from: '    await this.#guarded(async () => {\n      await this.#file.append(bytes);\n      await this.#file.sync();\n    });\n',
    to: '    void this.#file.append(bytes);\n',
    hazard: 'K4, K11',
  },
  {
    name: 'a failed sync is tried again',
    file: LOG,
    from: '      this.#failure = new LogWriteError(this.#paths.log, error);\n      throw this.#failure;',
    to: '      await this.#file.sync().catch(() => undefined);',
    hazard: 'K1, K3',
  },
  {
    name: 'a checksum is decoration',
    file: FRAME,
    from: "  if (view.getUint32(start + 4, true) !== frameCrc(bytes)) return 'its checksum does not match';\n",
    to: '',
    hazard: 'K5',
  },
  {
    name: 'the journal is cut where it cannot be read',
    file: CONTENTS,
    from: '  if (fault !== undefined) {\n    throw new LogCorruptError({ path: paths.log, ...fault, paths, position });\n  }\n',
    to: '  if (fault !== undefined) return { payloads, base: undefined, end };\n',
    hazard: 'K5',
  },
  {
    name: 'nobody compares the journal with what was promised',
    file: CONTENTS,
    from: 'position: fresh ?? head?.position ?? GENESIS };',
    to: 'position: GENESIS };',
    hazard: 'K4, K5',
  },
  {
    name: 'two daemons may share a state folder',
    file: LOCK,
    from: 'if (locked === undefined) throw await heldElsewhere({ files, processes }, paths);',
    to: 'if (locked === undefined) return { takenOverFrom: 0, isHeld: async () => true, release: async () => {} };',
    hazard: 'J12',
  },
  {
    name: 'a place is safe to repeat without a journal',
    file: OUTBOX,
    from: "  kind === 'cancel' || kind === 'find-order'",
    to: "  kind === 'place' || kind === 'cancel' || kind === 'find-order'",
    hazard: 'K1, K3',
  },
  {
    name: 'what is appended counts as durable',
    file: OUTBOX,
    from: '      for (const bytes of records) journal.append(bytes);\n      await journal.sync();\n',
    to: '      for (const bytes of records) journal.append(bytes);\n',
    hazard: 'K3, K4',
  },
  {
    name: 'whole records beyond the promise are trusted as they are',
    file: LOG,
    from: '  if (unpromised.length > 0) await files.writeAt(paths.log, promised.bytes, unpromised);\n',
    to: '',
    hazard: 'K3',
  },
  {
    name: 'whole records beyond the promise stay without one',
    file: LOG,
    from: '  if (unpromised.length === 0 && !damaged && !headIsBehind) return generation;\n',
    to: '  if (!damaged && !headIsBehind) return generation;\n',
    hazard: 'K4',
  },
  {
    name: 'a torn tail stays where it is',
    file: LOG,
    from: '  if ((fileBytes ?? 0) > end.bytes) await files.truncate(paths.log, end.bytes);\n',
    to: '',
    hazard: 'K5',
  },
  {
    name: 'the promise goes before the compacted journal',
    file: COMPACTION,
    from: `    await files.replace(paths.log, frames.bytes);
    const slot = slotOf({ generation: head.generation + 1, position: frames.end });
    await files.writeAt(paths.head, slot.offset, slot.bytes);
`,
    to: `    const slot = slotOf({ generation: head.generation + 1, position: frames.end });
    await files.writeAt(paths.head, slot.offset, slot.bytes);
    await files.replace(paths.log, frames.bytes);
`,
    hazard: 'K6, K7',
  },
  {
    name: 'a compaction writes over the journal in place',
    file: COMPACTION,
    from: '    await files.replace(paths.log, frames.bytes);\n',
    to: '    await files.truncate(paths.log, 0);\n    await files.writeAt(paths.log, 0, frames.bytes);\n',
    hazard: 'K6, K7',
  },
  {
    name: 'a compaction that was cut off is damage',
    file: CONTENTS,
    from: '  return base && samePosition(base.replaces, promised) ? base.snapshot : undefined;\n',
    to: '  return undefined;\n',
    hazard: 'K6',
  },
  {
    name: 'a compaction forgets what has ended',
    file: KEPT,
    from: '  return begins ? [pastOf(order, filledAt.get(order.clientOrderId) ?? record.venueTime)] : [];',
    to: '  return [];',
    hazard: 'K6, M6',
  },
  {
    name: 'a compaction keeps of an open order that it was wanted',
    file: KEPT,
    from: '  if (order === undefined) return [record];\n',
    to: "  if (order === undefined) return record.type === 'intent' ? [record] : [];\n",
    hazard: 'K6, J7',
  },
  {
    name: 'a compaction forgets where positions stand',
    file: KEPT,
    from: '    ...positionRecords(positions, recover(kept, account).positions, venueTime),\n',
    to: '',
    hazard: 'K6, G5',
  },
  {
    name: 'a replay goes on where events are no longer recorded',
    file: 'src/engine/replay.ts',
    from: '    this.#journal = rescue < 0 ? current : current.slice(0, rescue);\n',
    to: '    this.#journal = rescue < 0 ? current : current.slice(0);\n',
    hazard: 'K1, M6',
  },
  {
    name: 'what is decided is durable before what it stands on',
    file: OUTBOX,
    from: '      await record.sync();\n      this.#unwritten = { records, from: journal.count };\n',
    to: '      this.#unwritten = { records, from: journal.count };\n',
    hazard: 'K4, M6',
  },
  {
    name: 'the promise of what was decided on waits for ever',
    file: OUTBOX,
    from: '      release();\n',
    to: '',
    hazard: 'K4',
  },
];
