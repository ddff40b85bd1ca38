// Measures of a process by /proc, and the size of a folder.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Clock ticks a second of /proc on Linux. */
const TICKS = 100;
const PAGE_BYTES = 4_096;

/** Resident memory in MB, open handles, threads, and seconds of processor so far. */
export function sampleProcess(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return {
    rss_mb: round((pages * PAGE_BYTES) / 1e6),
    handles: readdirSync(`/proc/${pid}/fd`).length,
    threads: Number(fields[17]),
    cpu_s: (Number(fields[11]) + Number(fields[12])) / TICKS,
  };
}

/** MB of the files below a folder; a file that goes meanwhile counts 0. */
export function folderMb(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    try {
      bytes += statSync(join(entry.parentPath, entry.name)).size;
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
  return round(bytes / 1e6);
}

/** A value of the page for Prometheus in MB; null: the page has none. */
export async function heapMb(url) {
  const text = await (await fetch(url)).text();
  const found = /^sluice_heap_used_bytes(?:\{[^}]*\})? (\S+)$/m.exec(text);
  return found === null ? null : round(Number(found[1]) / 1e6);
}

const round = (value) => Math.round(value * 100) / 100;
