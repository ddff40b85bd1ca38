import { describe, expect, it } from 'vitest';
import { crc32c } from './crc32c.js';
import {
  encodeBaseFrame,
  encodeFrame,
  firstBase,
  FRAME_HEADER_BYTES,
  GENESIS,
  MAX_PAYLOAD_BYTES,
  isSameLogPosition,
  scanFrames,
  type LogPosition,
} from './log-frame.js';
import { AssertionError } from '../../core/assert.js';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function logOf(...texts: readonly string[]): { bytes: Uint8Array; end: LogPosition } {
  let end = GENESIS;
  const frames = texts.map((text) => {
    const frame = encodeFrame(encode(text), end);
    end = frame.end;
    return frame.bytes;
  });
  return { bytes: Buffer.concat(frames), end };
}

/** The second record of three, altered by `change` under a checksum that fits. */
function altered(change: (frame: Uint8Array, view: DataView) => void): Uint8Array {
  const bytes = new Uint8Array(logOf('one', 'two', 'three').bytes);
  const start = FRAME_HEADER_BYTES + 3;
  const frame = bytes.subarray(start, start + FRAME_HEADER_BYTES + 3);
  const view = new DataView(bytes.buffer, start, frame.length);
  change(frame, view);
  view.setUint32(4, crc32c(frame.subarray(8), crc32c(frame.subarray(0, 4))), true);
  return bytes;
}

describe('a frame', () => {
  it('a frame has the layout of its table', () => {
    const { bytes } = encodeFrame(encode('abc'), GENESIS);
    const view = new DataView(bytes.buffer);
    expect(bytes).toHaveLength(55);
    expect(view.getUint32(0, true), 'length').toBe(3);
    expect(view.getBigUint64(8, true), 'sequence').toBe(1n);
    expect(view.getUint16(16, true), 'version').toBe(1);
    expect(view.getUint16(18, true), 'reserved').toBe(0);
    expect(decode(bytes.subarray(52))).toBe('abc');
    expect(view.getUint32(4, true)).toBe(crc32c(bytes.subarray(8), crc32c(bytes.subarray(0, 4))));
  });

  it.each([0, 1, 4_063, 4_064, 4_065, 9_000])('a frame holds a payload of %i bytes', (length) => {
    const payload = new Uint8Array(length).fill(7);
    const first = encodeFrame(payload, GENESIS);
    const second = encodeFrame(encode('next'), first.end);
    const { payloads, fault, end } = scanFrames(
      Buffer.concat([first.bytes, second.bytes]),
      GENESIS,
    );
    expect(fault).toBeUndefined();
    expect(payloads.map((each) => each.length)).toEqual([length, 4]);
    expect(isSameLogPosition(end, second.end)).toBe(true);
  });

  it('a payload above the limit of the reader is refused', () => {
    const most = new Uint8Array(MAX_PAYLOAD_BYTES);
    expect(scanFrames(encodeFrame(most, GENESIS).bytes, GENESIS).fault).toBeUndefined();
    expect(() => encodeFrame(new Uint8Array(MAX_PAYLOAD_BYTES + 1), GENESIS)).toThrow(
      AssertionError,
    );
  });
});

describe('a log whose second record is altered under a checksum that fits', () => {
  it.each<{ what: string; change: (frame: Uint8Array, view: DataView) => void; reason: string }>([
    {
      what: 'another sequence number',
      change: (_frame, view) => {
        view.setBigUint64(8, 3n, true);
      },
      reason: 'its sequence number is not the next',
    },
    {
      what: 'a sequence number that is right in its lower half',
      change: (_frame, view) => {
        view.setBigUint64(8, 2n + (1n << 32n), true);
      },
      reason: 'its sequence number is not the next',
    },
    {
      what: 'an unknown version',
      change: (_frame, view) => {
        view.setUint16(16, 3, true);
      },
      reason: 'its version is not known',
    },
    {
      what: 'the version of a first frame',
      change: (_frame, view) => {
        view.setUint16(16, 2, true);
      },
      reason: 'its version is not known',
    },
    {
      what: 'a reserved field in use',
      change: (_frame, view) => {
        view.setUint16(18, 1, true);
      },
      reason: 'its reserved field is not 0',
    },
    {
      what: 'another payload',
      change: (frame) => {
        frame.set(encode('TWO'), FRAME_HEADER_BYTES);
      },
      reason: 'its chain hash is not ours',
    },
  ])('$what: $reason', ({ change, reason }) => {
    const { payloads, fault, end } = scanFrames(altered(change), GENESIS);
    expect(payloads.map(decode)).toEqual(['one']);
    expect(fault).toEqual({ record: 2, offset: 55, reason });
    expect(end).toMatchObject({ count: 1, bytes: 55 });
  });

  it.each([
    { length: MAX_PAYLOAD_BYTES + 1, reason: `its length ${MAX_PAYLOAD_BYTES + 1} is impossible` },
    { length: MAX_PAYLOAD_BYTES, reason: `it ends after 112 of ${MAX_PAYLOAD_BYTES + 52} bytes` },
  ])('a length of $length: $reason', ({ length, reason }) => {
    const bytes = altered((_frame, view) => {
      view.setUint32(0, length, true);
    });
    expect(scanFrames(bytes, GENESIS).fault?.reason).toBe(reason);
  });

  it.each([
    { left: 51, reason: 'its header ends after 51 bytes' },
    { left: 52, reason: 'it ends after 52 of 55 bytes' },
    { left: 54, reason: 'it ends after 54 of 55 bytes' },
  ])('cut after $left bytes: $reason', ({ left, reason }) => {
    const { bytes } = logOf('one', 'two');
    const { fault } = scanFrames(bytes.subarray(0, 55 + left), GENESIS);
    expect(fault).toEqual({ record: 2, offset: 55, reason });
  });
});

describe('the first frame of a compacted log', () => {
  const base = encodeBaseFrame(encode('base'));

  it('the base frame is not a record, and firstBase finds it', () => {
    const next = encodeFrame(encode('one'), base.end);
    const bytes = Buffer.concat([base.bytes, next.bytes]);
    const scan = scanFrames(bytes, GENESIS);
    expect(scan.payloads.map(decode)).toEqual(['one']);
    expect(decode(scan.base ?? new Uint8Array())).toBe('base');
    expect(scan.end.count).toBe(2);
    expect(decode(firstBase(bytes) ?? new Uint8Array())).toBe('base');
  });

  it('firstBase finds none when a record or a torn frame is first', () => {
    expect(firstBase(logOf('one').bytes)).toBeUndefined();
    expect(firstBase(base.bytes.subarray(0, 20))).toBeUndefined();
    expect(firstBase(new Uint8Array())).toBeUndefined();
  });
});

describe('two positions', () => {
  const { end } = logOf('one');
  it.each([
    { what: 'with everything equal', other: { ...end, hash: end.hash.slice() }, same: true },
    { what: 'after another number of records', other: { ...end, count: 2 }, same: false },
    { what: 'after other bytes', other: { ...end, bytes: 56 }, same: false },
    { what: 'after another record', other: { ...end, hash: GENESIS.hash }, same: false },
  ])('$what are the same: $same', ({ other, same }) => {
    expect(isSameLogPosition(end, other)).toBe(same);
  });
});
