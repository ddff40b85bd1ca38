import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { CHECK_FD, type CheckMessage } from './check-protocol.js';

/** Runs beside the thread of a strategy and reports when that thread no longer responds. */
const { beats, hangMs } = workerData as { readonly beats: Int32Array; readonly hangMs: number };
const POLL_INTERVAL_MS = 100;
const HUNG: CheckMessage = { kind: 'hung' };

let [lastBeats, idleMs] = [-1, 0];
const pollTimer = setInterval(() => {
  const now = Atomics.load(beats, 0);
  idleMs = now === lastBeats && Atomics.load(beats, 1) === 1 ? idleMs + POLL_INTERVAL_MS : 0;
  lastBeats = now;
  if (idleMs < hangMs) return;
  clearInterval(pollTimer);
  writeSync(CHECK_FD, `${JSON.stringify(HUNG)}\n`);
}, POLL_INTERVAL_MS);
