import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { nodeGzip } from './node-gzip.js';

test('a piece that is reused for the next one is packed before', async () => {
  function* pieces(): Generator<Uint8Array> {
    const piece = Buffer.alloc(3);
    for (const text of ['one', 'two', 'six']) {
      piece.write(text);
      yield piece;
    }
  }
  expect(gunzipSync(await nodeGzip(pieces())).toString()).toBe('onetwosix');
});

test('a source that fails ends the compression with its error', async () => {
  function* failing(): Generator<Uint8Array> {
    yield Buffer.from('one');
    throw new Error('the disk cannot be read');
  }
  await expect(nodeGzip(failing())).rejects.toThrow('the disk cannot be read');
});
