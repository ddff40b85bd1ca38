import { describe, expect, it } from 'vitest';
import { LogCorruptError, readContents } from './log-contents.js';
import { encodeBaseFrame, encodeFrame, GENESIS, type LogPosition } from './log-frame.js';

const paths = { log: 'a.log', head: 'a.head' };
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const first = encodeFrame(encode('one'), GENESIS);
const second = encodeFrame(encode('two'), first.end);
const LOG = Buffer.concat([first.bytes, second.bytes]);
const headAt = (position: LogPosition) => ({ head: { generation: 2, position }, damaged: false });
const refusal = (log: Uint8Array, position: LogPosition): unknown => {
  try {
    readContents(paths, log, headAt(position));
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('the contents of a log', () => {
  it('the contents are the durable records, then the whole records beyond the marker', () => {
    const read = readContents(paths, LOG, headAt(first.end));
    expect(read.payloads.map((payload) => new TextDecoder().decode(payload))).toEqual([
      'one',
      'two',
    ]);
    expect(read).toMatchObject({
      base: undefined,
      synced: { count: 1, bytes: 55 },
      end: { count: 2, bytes: 110 },
      dropped: undefined,
      headIsBehind: false,
    });
    expect([...read.unsynced]).toEqual([...second.bytes]);
  });

  it.each<{
    what: string;
    log: Uint8Array;
    position: LogPosition;
    record: number;
    offset: number;
    text: string;
  }>([
    {
      what: 'fewer records in the durable bytes',
      log: LOG,
      position: { ...second.end, count: 3 },
      record: 3,
      offset: 110,
      text: '3 records were durable, 2 are there',
    },
    {
      what: 'fewer bytes than the durable ones, cut at the end of a record',
      log: first.bytes,
      position: { ...first.end, bytes: 110 },
      record: 2,
      offset: 55,
      text: '1 records were durable, 1 are there',
    },
    {
      what: 'another last record',
      log: LOG,
      position: { ...second.end, hash: first.end.hash },
      record: 2,
      offset: 55,
      text: 'the last durable record is not the one that the head names',
    },
    {
      what: 'an unreadable first frame',
      log: encodeBaseFrame(encode('who knows')).bytes,
      position: encodeBaseFrame(encode('who knows')).end,
      record: 1,
      offset: 0,
      text: 'the base of the compacted log has an unknown form',
    },
  ])('a log with $what is refused', ({ log, position, record, offset, text }) => {
    const error = refusal(log, position);
    expect(error).toBeInstanceOf(LogCorruptError);
    expect(error).toMatchObject({ path: paths.log, record, offset });
    expect(String(error)).toContain(`at record ${record}, offset ${offset}: ${text}. Nothing`);
  });

  it('a compacted log whose first frame was never durable is refused', () => {
    const base = encodeBaseFrame(encode('who knows'));
    const error = refusal(base.bytes, GENESIS);
    expect(String(error)).toContain('it is not the log that a.head belongs to');
  });
});
