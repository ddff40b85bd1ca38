import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Gzip } from '../../core/ports.js';

/** Runs on a thread of Node's pool, so that orders do not wait for it. */
export const nodeGzip: Gzip = promisify<Uint8Array, Uint8Array>(gzip);
