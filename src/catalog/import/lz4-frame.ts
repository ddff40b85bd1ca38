/** Format: "LZ4 Frame Format Description" 1.6 and "LZ4 Block Format Description" of the lz4 project. */
const MAGIC = 0x184d2204;
const BLOCK_CHECKSUMS = 0x10;
const CONTENT_SIZE = 0x08;
const DICTIONARY = 0x01;
const STORED = 0x80000000;
/** A block descriptor of 4 stands for 64 KiB, each next one for four times that. */
const MAX_BLOCK = (descriptor: number): number => 1 << (2 * ((descriptor >> 4) & 7) + 8);

/** A frame that is cut off, damaged or needs a dictionary. */
export class Lz4Error extends Error {
  override readonly name = 'Lz4Error';
}

/**
 * Unpacks an LZ4 frame. Checksums are not verified.
 * @throws Lz4Error for bytes that are no whole frame
 */
export function unpackLz4(packed: Uint8Array): Uint8Array {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  if (packed.length < 7 || view.getUint32(0, true) !== MAGIC) throw new Lz4Error('no LZ4 frame');
  const flags = packed[4] as number;
  if ((flags & DICTIONARY) !== 0) throw new Lz4Error('the LZ4 frame needs a dictionary');
  const start = 7 + ((flags & CONTENT_SIZE) === 0 ? 0 : 8);
  const blocks = blocksOf(view, start, (flags & BLOCK_CHECKSUMS) === 0 ? 0 : 4);
  const output = new Uint8Array(blocks.length * MAX_BLOCK(packed[5] as number));
  let length = 0;
  for (const { from, to, isStored } of blocks) {
    if (isStored) {
      output.set(packed.subarray(from, to), length);
      length += to - from;
    } else length = unpackBlock(packed, from, to, output, length);
  }
  return output.subarray(0, length);
}

interface Block {
  readonly from: number;
  readonly to: number;
  readonly isStored: boolean;
}

function blocksOf(view: DataView, start: number, checksumSize: number): readonly Block[] {
  const blocks: Block[] = [];
  let offset = start;
  for (;;) {
    if (offset + 4 > view.byteLength) throw new Lz4Error('the LZ4 frame is cut off');
    const size = view.getUint32(offset, true);
    if (size === 0) return blocks;
    const from = offset + 4;
    const to = from + (size & ~STORED);
    if (to > view.byteLength) throw new Lz4Error('the LZ4 frame is cut off');
    blocks.push({ from, to, isStored: size >= STORED });
    offset = to + checksumSize;
  }
}

/** Unpacks one block to `output` from `length` on. A match may reach into the blocks before. @returns the new length */
function unpackBlock(
  packed: Uint8Array,
  from: number,
  to: number,
  output: Uint8Array,
  length: number,
): number {
  let [read, write] = [from, length];
  const extended = (count: number): number => {
    let sum = count;
    if (count < 15) return sum;
    let byte = 255;
    while (byte === 255 && read < to) {
      byte = packed[read++] as number;
      sum += byte;
    }
    return sum;
  };
  while (read < to) {
    const token = packed[read++] as number;
    const literals = extended(token >> 4);
    if (read + literals > to || write + literals > output.length) throw new Lz4Error('damaged LZ4');
    output.set(packed.subarray(read, read + literals), write);
    read += literals;
    write += literals;
    if (read >= to) break;
    const distance = (packed[read] as number) | ((packed[read + 1] as number) << 8);
    read += 2;
    const matched = extended(token & 15) + 4;
    if (distance === 0 || distance > write || write + matched > output.length)
      throw new Lz4Error('damaged LZ4');
    // Byte by byte: a match may overlap its own output.
    for (let end = write + matched; write < end; write++) {
      output[write] = output[write - distance] as number;
    }
  }
  return write;
}
