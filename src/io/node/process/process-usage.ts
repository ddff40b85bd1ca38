import { monitorEventLoopDelay } from 'node:perf_hooks';

const NS = 1e9;
const US = 1e6;
/** ms between two samples of the loop. A sample of an idle loop has this length. */
const RESOLUTION_MS = 20;

/** s beyond the length of an idle sample. */
const delaySeconds = (ns: number): number => Math.max(0, ns / NS - RESOLUTION_MS / 1_000);

/** Measures this process. Each read begins a new interval of the loop's delay. */
export function openProcessUsage() {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  return {
    read() {
      const { rss, heapUsed } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      const usage = {
        residentBytes: rss,
        heapUsedBytes: heapUsed,
        cpuSeconds: (user + system) / US,
        loopDelayMaxSeconds: delaySeconds(delay.max),
        loopDelayP99Seconds: delaySeconds(delay.percentile(99)),
      };
      delay.reset();
      return usage;
    },
    close(): void {
      delay.disable();
    },
  };
}
