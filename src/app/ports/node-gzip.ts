import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Gzip } from '../record/closed-part.js';

/** On a thread of the system's pool: an order never waits for it. */
export const nodeGzip: Gzip = promisify<Uint8Array, Uint8Array>(gzip);
