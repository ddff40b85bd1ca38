import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { CHECK_FD, type CheckMessage } from './check-protocol.js';

/** Beside the thread that a strategy runs on: says when that one no longer answers. */
const { beats, hangMs } = workerData as { readonly beats: Int32Array; readonly hangMs: number };
const LOOK_MS = 100;
const HUNG: CheckMessage = { kind: 'hung' };

let [before, still] = [-1, 0];
const looking = setInterval(() => {
  const now = Atomics.load(beats, 0);
  still = now === before && Atomics.load(beats, 1) === 1 ? still + LOOK_MS : 0;
  before = now;
  if (still < hangMs) return;
  clearInterval(looking);
  writeSync(CHECK_FD, `${JSON.stringify(HUNG)}\n`);
}, LOOK_MS);
