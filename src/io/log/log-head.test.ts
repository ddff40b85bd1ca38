import { describe, expect, it } from 'vitest';
import { crc32c } from './crc32c.js';
import { GENESIS } from './log-frame.js';
import { readHead, slotOf, type LogHead } from './log-head.js';

const head = (generation: number, count = generation): LogHead => ({
  generation,
  position: { count, bytes: 100 * count, hash: new Uint8Array(32).fill(count) },
});

/** A file with these slots; the rest was never written. */
function fileWith(...heads: readonly LogHead[]): Uint8Array {
  const file = new Uint8Array(4_096 + 68);
  for (const each of heads) {
    const { offset, bytes } = slotOf(each);
    file.set(bytes, offset);
  }
  return file;
}

/** The slot of generation 4, altered by `change`, under a checksum that fits. */
function altered(change: (view: DataView) => void): Uint8Array {
  const file = fileWith(head(4));
  const view = new DataView(file.buffer);
  change(view);
  view.setUint32(64, crc32c(file.subarray(0, 64)), true);
  return file;
}

describe('a slot of the head', () => {
  it('a slot has the layout of its table', () => {
    const { offset, bytes } = slotOf(head(3, 7));
    const view = new DataView(bytes.buffer);
    expect(offset).toBe(4_096);
    expect(bytes).toHaveLength(68);
    expect(new TextDecoder().decode(bytes.subarray(0, 4))).toBe('SLHD');
    expect(view.getUint16(4, true), 'version').toBe(1);
    expect(view.getUint16(6, true)).toBe(0);
    expect(view.getBigUint64(8, true), 'generation').toBe(3n);
    expect(view.getBigUint64(16, true), 'records').toBe(7n);
    expect(view.getBigUint64(24, true), 'bytes').toBe(700n);
    expect([...bytes.subarray(32, 64)], 'hash').toEqual(Array<number>(32).fill(7));
    expect(view.getUint32(64, true)).toBe(crc32c(bytes.subarray(0, 64)));
  });

  it.each([
    { generation: 0, offset: 0 },
    { generation: 1, offset: 4_096 },
    { generation: 2, offset: 0 },
    { generation: 3, offset: 4_096 },
  ])('the slot of generation $generation is at offset $offset', ({ generation, offset }) => {
    expect(slotOf(head(generation)).offset).toBe(offset);
  });
});

describe('a head', () => {
  it.each([
    { what: 'no file', file: undefined },
    { what: 'an empty file', file: new Uint8Array() },
    { what: 'a file of zeros', file: fileWith() },
  ])('a head of $what has no marker and is not damaged', ({ file }) => {
    expect(readHead(file)).toEqual({ head: undefined, damaged: false });
  });

  it.each([
    { slots: [0], newest: 0 },
    { slots: [1], newest: 1 },
    { slots: [4, 3], newest: 4 },
    { slots: [4, 5], newest: 5 },
    { slots: [10, 9], newest: 10 },
  ])('a head with the slots $slots gives the newest marker', ({ slots, newest }) => {
    const file = fileWith(...slots.map((generation) => head(generation)));
    expect(readHead(file)).toEqual({ head: head(newest), damaged: false });
  });

  it('the first marker is the genesis position', () => {
    const genesis = { generation: 0, position: GENESIS };
    expect(readHead(fileWith(genesis)).head).toEqual(genesis);
  });

  it('a head with one torn slot is damaged and gives the marker of the other', () => {
    const file = fileWith(head(4), head(5));
    file[4_096 + 30] = 99;
    expect(readHead(file)).toEqual({ head: head(4), damaged: true });
  });

  it('a head that ends within a slot is damaged', () => {
    const file = fileWith(head(4), head(5));
    expect(readHead(file.subarray(0, 4_096 + 67))).toEqual({ head: head(4), damaged: true });
    expect(readHead(file.subarray(0, 68))).toEqual({ head: head(4), damaged: false });
    expect(readHead(file.subarray(0, 67))).toEqual({ head: undefined, damaged: true });
  });

  it('a head with a slot in the place of the other is damaged', () => {
    const file = new Uint8Array(4_096 + 68);
    file.set(slotOf(head(5)).bytes, 0);
    expect(readHead(file)).toEqual({ head: undefined, damaged: true });
  });

  it.each<{ what: string; change: (view: DataView) => void }>([
    {
      what: 'another magic',
      change: (view) => {
        view.setUint8(0, 0x73);
      },
    },
    {
      what: 'another version',
      change: (view) => {
        view.setUint16(4, 2, true);
      },
    },
  ])('a head with $what under a valid checksum is damaged', ({ change }) => {
    expect(readHead(altered(change))).toEqual({ head: undefined, damaged: true });
    expect(readHead(altered(() => undefined)).damaged).toBe(false);
  });

  it('a head with a wrong checksum is damaged', () => {
    const file = fileWith(head(4));
    file[64] = (file[64] ?? 0) ^ 1;
    expect(readHead(file)).toEqual({ head: undefined, damaged: true });
  });

  it('a head copies its hash: later changes of the file do not affect it', () => {
    const file = fileWith(head(4));
    const read = readHead(file).head;
    file.fill(0);
    expect(read).toEqual(head(4));
  });
});
