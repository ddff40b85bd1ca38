import { openFramedLog, LogCorruptError } from '../../../src/io/log/framed-log.js';
import { compactFramedLog } from '../../../src/io/log/log-compaction.js';
import { GENESIS, scanFrames } from '../../../src/io/log/log-frame.js';
import { readHead, slotOf } from '../../../src/io/log/log-head.js';
import { MemoryFiles } from '../../support/fakes/memory-files.js';
import { seededRandom } from '../../support/fakes/virtual-time.js';

const LOG = '/state/journal.log';
const HEAD = '/state/journal.head';
const TAIL_BYTES = 65_536;
const FLIPPED_BYTES = 8_192;
const FRAME_HEADER = 52;
/** What a disk writes whole or not at all. */
const BLOCK_BYTES = 512;

export interface TortureTotals {
  readonly truncations: number;
  readonly flips: number;
  readonly reorders: number;
  /** Opened without a word although a record that was acknowledged is missing or altered. */
  silent: number;
  /** Ended in anything but a log or a refusal that names its place. */
  crashes: number;
  /** Refused although nothing that was acknowledged is lost. */
  needless: number;
}

/** A journal on a disk, and what its writer was told. */
interface JournalSample {
  readonly log: Uint8Array;
  readonly head: Uint8Array;
  readonly records: readonly string[];
  /** Of them, and the bytes that hold them. */
  readonly syncedRecords: number;
  readonly syncedBytes: number;
}

/**
 * Damages a journal in every way of reliability goal T9 and opens it. `every`: only each n-th
 * truncation and flip, for a quick look.
 */
export async function tortureJournal(options: {
  readonly every?: number;
  readonly reorders?: number;
}): Promise<TortureTotals> {
  const every = options.every ?? 1;
  const reorders = options.reorders ?? 10_000;
  const totals: TortureTotals = {
    truncations: Math.ceil(TAIL_BYTES / every),
    flips: Math.ceil((FLIPPED_BYTES * 8) / every),
    reorders,
    silent: 0,
    crashes: 0,
    needless: 0,
  };
  await truncate(totals, every);
  await flip(totals, every);
  for (let seed = 1; seed <= reorders; seed += 1) await reorder(totals, seed);
  return totals;
}

/** Cuts a log at each byte of its last 64 KiB, the second half of which was never acknowledged. */
async function truncate(totals: TortureTotals, every: number): Promise<void> {
  const sample = await grown(TAIL_BYTES + FLIPPED_BYTES, TAIL_BYTES / 2);
  const from = sample.log.length - TAIL_BYTES;
  for (let size = from; size < sample.log.length; size += every) {
    await checkReopened(totals, sample, { log: sample.log.slice(0, size), head: sample.head });
  }
}

/** Flips each bit of a log of 8 KiB, half of them in one that was compacted. */
async function flip(totals: TortureTotals, every: number): Promise<void> {
  const victims = [await grown(FLIPPED_BYTES, 0), await compacted(FLIPPED_BYTES)];
  for (let bit = 0; bit < FLIPPED_BYTES * 8; bit += every) {
    const sample = victims[Math.floor(bit / every) % 2];
    if (sample === undefined) continue;
    const log = sample.log.slice();
    log[bit >> 3] = (log[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    await checkReopened(totals, sample, { log, head: sample.head });
  }
}

/**
 * Loses any of the blocks that were written since the last sync, as a disk may that writes them in its
 * own order; on odd seeds the power goes as the head is written, whose data is durable by then.
 */
async function reorder(totals: TortureTotals, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const bytes = BLOCK_BYTES * (2 + Math.floor(random.next() * 12));
  const unsynced = Math.floor(bytes * random.next());
  const sample = await grown(bytes, unsynced);
  if (seed % 2 === 1) {
    const head = await tornHead(sample, Math.floor(random.next() * 69));
    await checkReopened(totals, sample, { log: sample.log, head });
    return;
  }
  const log = sample.log.slice();
  const firstBlock = Math.floor(sample.syncedBytes / BLOCK_BYTES);
  const blocks = Math.ceil(log.length / BLOCK_BYTES);
  const end = firstBlock + Math.floor(random.next() * (blocks - firstBlock + 1));
  for (let block = firstBlock; block < end; block += 1) {
    // Not written: nothing but zeros, where the file's size is there already.
    if (random.next() < 0.5) continue;
    const start = Math.max(block * BLOCK_BYTES, sample.syncedBytes);
    log.fill(0, start, (block + 1) * BLOCK_BYTES);
  }
  const size = Math.max(sample.syncedBytes, Math.min(log.length, end * BLOCK_BYTES));
  await checkReopened(totals, sample, { log: log.slice(0, size), head: sample.head });
}

async function checkReopened(
  totals: TortureTotals,
  sample: JournalSample,
  disk: { readonly log: Uint8Array; readonly head: Uint8Array },
): Promise<void> {
  const files = new MemoryFiles();
  files.put(LOG, disk.log);
  files.put(HEAD, disk.head);
  const sound = isPrefix(disk.log, sample.log, sample.syncedBytes);
  try {
    const log = await openFramedLog(files, '/state', 'journal');
    const found = log.read().map((bytes) => new TextDecoder().decode(bytes));
    const { syncedRecords, records } = sample;
    const survived =
      found.length >= syncedRecords && found.every((text, at) => text === records[at]);
    const lost = disk.log.length > (files.peek(LOG)?.length ?? 0);
    if (!survived || (lost && log.opening.dropped === undefined)) totals.silent += 1;
    // Whoever opens it again must find the same, with nothing left to say.
    const again = await openFramedLog(files.crash(), '/state', 'journal');
    if (again.count !== log.count || again.opening.dropped !== undefined) totals.silent += 1;
  } catch (error) {
    if (!(error instanceof LogCorruptError)) totals.crashes += 1;
    else if (sound) totals.needless += 1;
  }
}

/** Whether the first bytes, those that were acknowledged, are as they were. */
const isPrefix = (found: Uint8Array, whole: Uint8Array, bytes: number): boolean =>
  Buffer.compare(found.subarray(0, bytes), whole.subarray(0, bytes)) === 0;

/** The head as far as the write got that acknowledges everything. */
async function tornHead({ log, head }: JournalSample, bytes: number): Promise<Uint8Array> {
  const generation = (readHead(head).head?.generation ?? 0) + 1;
  const slot = slotOf({ generation, position: scanFrames(log, GENESIS).end });
  const files = new MemoryFiles();
  files.put(HEAD, head);
  await files.writeAt(HEAD, slot.offset, slot.bytes.subarray(0, bytes));
  return files.peek(HEAD) ?? head;
}

/** A log of that many bytes, of which the last ones were written and never acknowledged. */
async function grown(bytes: number, unsyncedBytes: number): Promise<JournalSample> {
  const files = new MemoryFiles();
  const log = await openFramedLog(files, '/state', 'journal');
  return fill(files, log, { records: [], bytes, unsyncedBytes });
}

/** The same behind a snapshot of 2 KiB. */
async function compacted(bytes: number): Promise<JournalSample> {
  const files = new MemoryFiles();
  const old = await openFramedLog(files, '/state', 'journal');
  old.append(new TextEncoder().encode('old'));
  await old.close();
  const records = Array.from({ length: 10 }, (_, at) => recordOf(at, 150));
  const payloads = records.map((text) => new TextEncoder().encode(text));
  await compactFramedLog(files, '/state', 'journal', { payloads, recordsBefore: 1 });
  const log = await openFramedLog(files, '/state', 'journal');
  return fill(files, log, { records, bytes, unsyncedBytes: 0 });
}

async function fill(
  files: MemoryFiles,
  log: Awaited<ReturnType<typeof openFramedLog>>,
  plan: {
    readonly records: readonly string[];
    readonly bytes: number;
    readonly unsyncedBytes: number;
  },
): Promise<JournalSample> {
  const records = [...plan.records];
  let size = files.peek(LOG)?.length ?? 0;
  const write = async (until: number): Promise<void> => {
    while (size < until) {
      const left = until - size - FRAME_HEADER;
      const targetBytes = 100 + ((records.length * 37) % 200);
      // The last record takes what is left, so that the log has exactly the bytes wanted.
      const text = recordOf(
        records.length,
        left < targetBytes + 2 * FRAME_HEADER ? left : targetBytes,
      );
      log.append(new TextEncoder().encode(text));
      records.push(text);
      size += FRAME_HEADER + text.length;
    }
    await log.sync();
  };
  await write(plan.bytes - plan.unsyncedBytes);
  const [head, syncedBytes, syncedRecords] = [files.peek(HEAD), size, records.length];
  await write(plan.bytes);
  return {
    log: files.peek(LOG) ?? new Uint8Array(),
    head: head ?? new Uint8Array(),
    records,
    syncedRecords,
    syncedBytes,
  };
}

const recordOf = (number: number, length: number): string =>
  `{"record":${number},"pad":"${'x'.repeat(Math.max(0, length))}"}`.slice(0, Math.max(0, length));
