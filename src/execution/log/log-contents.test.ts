import { describe, expect, it } from 'vitest';
import { LogCorruptError, readContents } from './log-contents.js';
import { encodeBaseFrame, encodeFrame, GENESIS, type Position } from './log-frame.js';

const paths = { log: 'a.log', head: 'a.head' };
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const first = encodeFrame(encode('one'), GENESIS);
const second = encodeFrame(encode('two'), first.end);
const LOG = Buffer.concat([first.bytes, second.bytes]);
const promise = (position: Position) => ({ head: { generation: 2, position }, damaged: false });
const refusal = (log: Uint8Array, position: Position): unknown => {
  try {
    readContents(paths, log, promise(position));
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('what a log holds', () => {
  it('is what was promised, and then what is whole', () => {
    const read = readContents(paths, LOG, promise(first.end));
    expect(read.payloads.map((payload) => new TextDecoder().decode(payload))).toEqual([
      'one',
      'two',
    ]);
    expect(read).toMatchObject({
      base: undefined,
      promised: { count: 1, bytes: 55 },
      end: { count: 2, bytes: 110 },
      dropped: undefined,
      headIsBehind: false,
    });
    expect([...read.unpromised]).toEqual([...second.bytes]);
  });

  it.each<{
    what: string;
    log: Uint8Array;
    position: Position;
    record: number;
    offset: number;
    says: string;
  }>([
    {
      what: 'fewer records in the bytes that were promised',
      log: LOG,
      position: { ...second.end, count: 3 },
      record: 3,
      offset: 110,
      says: '3 records were durable, 2 are there',
    },
    {
      what: 'fewer bytes than were promised, at the end of a record',
      log: first.bytes,
      position: { ...first.end, bytes: 110 },
      record: 2,
      offset: 55,
      says: '1 records were durable, 1 are there',
    },
    {
      what: 'another last record',
      log: LOG,
      position: { ...second.end, hash: first.end.hash },
      record: 2,
      offset: 55,
      says: 'the last durable record is not the one that the head names',
    },
    {
      what: 'a first frame that nobody can read',
      log: encodeBaseFrame(encode('who knows')).bytes,
      position: encodeBaseFrame(encode('who knows')).end,
      record: 1,
      offset: 0,
      says: 'it does not say in a known way what was compacted',
    },
  ])('is refused with $what', ({ log, position, record, offset, says }) => {
    const error = refusal(log, position);
    expect(error).toBeInstanceOf(LogCorruptError);
    expect(error).toMatchObject({ path: paths.log, record, offset });
    expect(String(error)).toContain(`at record ${record}, offset ${offset}: ${says}. Nothing`);
  });

  it('is refused where the first frame of a compacted log was never promised', () => {
    const base = encodeBaseFrame(encode('who knows'));
    const error = refusal(base.bytes, GENESIS);
    expect(String(error)).toContain('it is not the log that a.head belongs to');
  });
});
