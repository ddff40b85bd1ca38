import { gzipSync } from 'node:zlib';
import type { HttpReply } from './http-message.js';

const UNPACKED_BYTES = 33_554_432;
let packed: Uint8Array | undefined;

/** A well-formed answer that is 32 KiB on the wire and 32 MiB once unpacked. */
export function gzipBomb(): HttpReply {
  packed ??= gzipSync(`{"success":true,"data":"${'0'.repeat(UNPACKED_BYTES)}"}`, { level: 9 });
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: '',
    bytes: packed,
  };
}
