import { createGzip } from 'node:zlib';
import type { Gzip } from '../../core/ports.js';

/** Runs on a thread of Node's pool, so that orders do not wait for it. */
export const nodeGzip: Gzip = async (pieces) => {
  const stream = createGzip();
  const written = (async () => {
    try {
      for (const piece of pieces) await writePiece(stream, piece);
      stream.end();
    } catch (error) {
      stream.destroy();
      throw error;
    }
  })();
  const [packed] = await Promise.all([packedBytes(stream), written]);
  return packed;
};

function writePiece(stream: ReturnType<typeof createGzip>, piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(piece, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

async function packedBytes(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const packed: Uint8Array[] = [];
  for await (const piece of stream) packed.push(piece);
  return Buffer.concat(packed);
}
