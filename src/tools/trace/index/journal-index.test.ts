import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/rigs/cli-runner.js';
import { openFramedLog } from '../../../io/log/framed-log.js';
import { JournalRecordError } from '../../../execution/journal/journal-record-error.js';
import {
  encodeJournalRecord,
  type JournalRecord,
} from '../../../execution/journal/journal-record.js';
import { nodeClock } from '../../../io/node/node-clock.js';
import { nodeFiles } from '../../../io/node/node-files.js';
import { nodeRanges } from '../../../io/node/node-ranges.js';
import { nodeProcessFacts } from '../../../io/node/process/node-process-facts.js';
import { openStateFolder } from '../../../live/state/state-folder.js';
import { INDEX_FILE, openJournalIndex, type JournalIndex } from './journal-index.js';

const OWNER = { account: 'demo', venue: 'here' };
const header: JournalRecord = { type: 'header', venueTime: 0, ...OWNER };
const dropped = (number: number): JournalRecord => ({
  ...{ type: 'dropped', venueTime: number, clientOrderId: `id-${number}`, reason: 'too late' },
});

let folder = temporaryFolder();
let directory = '';
beforeEach(() => {
  folder = temporaryFolder();
  directory = join(folder.path, 'state');
});
afterEach(() => {
  folder.remove();
});

async function append(...records: readonly JournalRecord[]): Promise<void> {
  const log = await openFramedLog(nodeFiles, directory, 'journal');
  for (const record of records) log.append(encodeJournalRecord(record));
  await log.close();
}

const warnings: string[] = [];

/** Opens the index and counts the journal bytes that were read for it. */
async function using<T>(use: (index: JournalIndex, readBytes: number) => Promise<T> | T) {
  let readBytes = 0;
  warnings.length = 0;
  const ranges = {
    ...nodeRanges,
    async open(path: string) {
      const reader = await nodeRanges.open(path);
      return {
        ...reader,
        async read(offset: number, length: number) {
          const bytes = await reader.read(offset, length);
          readBytes += bytes.length;
          return bytes;
        },
      };
    },
  };
  const index = await openJournalIndex(
    directory,
    { files: nodeFiles, ranges, progress: () => undefined, warn: (text) => warnings.push(text) },
    false,
  );
  try {
    return await use(index, readBytes);
  } finally {
    await index.close();
  }
}

const idsOf = (index: JournalIndex): readonly string[] =>
  index.orders('id-', 1_000).map(({ clientOrderId }) => clientOrderId);

describe('JournalIndex', () => {
  it('the index reads each byte of the journal once, over all openings', async () => {
    await append(header, ...[1, 2, 3].map(dropped));
    await using((index) => {
      expect(idsOf(index)).toEqual(['id-1', 'id-2', 'id-3']);
    });
    await using((index, readBytes) => {
      expect(idsOf(index)).toHaveLength(3);
      expect(readBytes).toBeLessThanOrEqual(4_096);
    });
    await append(dropped(4));
    await using((index) => {
      expect(idsOf(index)).toEqual(['id-1', 'id-2', 'id-3', 'id-4']);
    });
  });

  it('records are read from the journal, in journal order', async () => {
    const note: JournalRecord = {
      ...{ type: 'note', venueTime: 5, level: 'info', text: 'seen', clientOrderId: 'id-1' },
    };
    await append(header, note, dropped(2), dropped(1));
    await using(async (index) => {
      const [order] = index.orders('id-1', 1);
      expect(order && (await index.recordsOf(order))).toEqual([note, dropped(1)]);
    });
  });

  it('the rows of a replaced journal are removed', async () => {
    await append(header, ...[1, 2, 3].map(dropped));
    await using((index) => {
      expect(idsOf(index)).toHaveLength(3);
    });
    for (const end of ['log', 'head']) await nodeFiles.remove(join(directory, `journal.${end}`));
    await append(header, dropped(7), dropped(8), dropped(9), dropped(10));
    await using((index) => {
      expect(idsOf(index)).toEqual(['id-7', 'id-8', 'id-9', 'id-10']);
    });
  });

  it('the rows of a log stay valid when a compaction archives it', async () => {
    const many = Array.from({ length: 500 }, (_, number) => dropped(number + 1));
    await append(header, ...many);
    const before = await using((index) => index.store.logs());
    const ports = {
      files: nodeFiles,
      facts: nodeProcessFacts,
      clock: nodeClock,
      venueTime: 9,
      compactAfter: 1,
    };
    await (await openStateFolder(directory, OWNER, ports)).abandon();
    expect(readdirSync(directory)).toContain('journal-000001.log');
    await using((index) => {
      const logs = index.store.logs();
      expect(logs.find(({ name }) => name === 'journal-000001')?.id).toBe(before[0]?.id);
      expect(logs.map(({ name }) => name).sort()).toEqual(['journal', 'journal-000001']);
      expect(idsOf(index)).toHaveLength(500);
    });
  });

  it('the index is in memory when its file cannot be written', async () => {
    await append(header, dropped(1));
    mkdirSync(join(directory, INDEX_FILE));
    await using((index) => {
      expect(idsOf(index)).toEqual(['id-1']);
    });
    expect(warnings.join()).toMatch(/cannot be written .*: the index is built in memory/);
  });

  it('the index is rebuilt when the file is not a database', async () => {
    await append(header, dropped(1));
    writeFileSync(join(directory, INDEX_FILE), 'x'.repeat(10_000));
    await using((index) => {
      expect(idsOf(index)).toEqual(['id-1']);
    });
    expect(warnings.join()).toMatch(/cannot be used .*: it is rebuilt/);
  });

  it('a journal of a newer version is reported', async () => {
    await append(header);
    const log = await openFramedLog(nodeFiles, directory, 'journal');
    log.append(new TextEncoder().encode('{"v":99,"type":"dream","venueTime":1}\n'));
    await log.close();
    await expect(using(() => undefined)).rejects.toThrow(JournalRecordError);
    await expect(using(() => undefined)).rejects.toThrow(/version 99/);
  });
});
