import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemoryFiles } from '../../../test/support/fakes/memory-files.js';
import { openFramedLog } from '../../io/log/framed-log.js';
import { nodeGzip } from '../../io/node/node-gzip.js';
import { compressPart, gzipInline } from './compressed-part.js';
import { readSessionRecords } from './session-records.js';

const KIB = 1024;

it.each([
  ['the thread pool', nodeGzip],
  ['its caller', gzipInline],
])(
  'records below and above the size of a piece are read as written, packed by %s',
  async (_, gzip) => {
    const sizes = fc.array(
      fc.oneof(fc.nat(200), fc.integer({ min: 63 * KIB, max: 65 * KIB }), fc.constant(200 * KIB)),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(sizes, async (lengths) => {
        const files = new MemoryFiles();
        const log = await openFramedLog(files, '/state/record', '000001');
        const records = lengths.map((length, index) => String(index).repeat(length));
        for (const record of records) log.append(Buffer.from(record));
        await log.sync();
        await log.close();
        const parts = { files, gzip, utcMs: () => 0 };
        await compressPart(parts, '/state/record', { stem: '000001' });
        expect(files.paths().map((path) => path.slice(-9))).toEqual(['.jsonl.gz']);
        const read = await readSessionRecords(files, '/state', '000001');
        expect(read.map((record) => Buffer.from(record).toString())).toEqual(records);
      }),
      { numRuns: 25 },
    );
  },
);
