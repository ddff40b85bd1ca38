import type { AppendFile, Clock, Files, Net } from '../core/ports.js';
import type { Sample } from './exposition.js';
import { Histogram } from './histogram.js';

/** The meters of one daemon. */
export interface DaemonMeters {
  readonly requests: RequestMeter;
  readonly journal: SyncMeter;
}

export const createMeters = (clock: Pick<Clock, 'monotonicMs'>): DaemonMeters => ({
  requests: new RequestMeter(clock),
  journal: new SyncMeter(clock),
});

const REQUEST_BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SYNC_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** Counts and times the requests of a `Net`. A path has ids in it, so the method is the only label of a request. */
export class RequestMeter {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** By method and status; status `none`: no answer. */
  readonly #counts = new Map<string, { readonly labels: Record<string, string>; value: number }>();
  readonly #durations = new Map<string, Histogram>();
  #rateLimited = 0;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** The same net, measured. */
  measured<N extends Net>(net: N): N {
    const request: Net['request'] = async (sent) => {
      const startedAt = this.#clock.monotonicMs();
      let status = 'none';
      try {
        const response = await net.request(sent);
        status = String(response.status);
        return response;
      } finally {
        this.#observe(sent.method, status, this.#clock.monotonicMs() - startedAt);
      }
    };
    return { ...net, request };
  }

  #observe(method: string, status: string, ms: number): void {
    const key = `${method} ${status}`;
    const count = this.#counts.get(key) ?? { labels: { method, status }, value: 0 };
    count.value += 1;
    this.#counts.set(key, count);
    const durations = this.#durations.get(method) ?? new Histogram(REQUEST_BOUNDS);
    durations.observe(ms / 1_000);
    this.#durations.set(method, durations);
    if (status === '429') this.#rateLimited += 1;
  }

  get counts(): readonly Sample[] {
    return [...this.#counts.values()].map(({ labels, value }) => ({ labels, value }));
  }

  get durations(): readonly Sample[] {
    return [...this.#durations].flatMap(([method, histogram]) => histogram.samples({ method }));
  }

  get rateLimited(): number {
    return this.#rateLimited;
  }
}

/** Times the syncs of the files whose path ends so. */
export class SyncMeter {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #durations = new Histogram(SYNC_BOUNDS);
  #failures = 0;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** The same files, measured. */
  measured(files: Files, ending: string): Files {
    return {
      ...files,
      openAppend: async (path) => {
        const file = await files.openAppend(path);
        return path.endsWith(ending) ? this.#measuredFile(file) : file;
      },
    };
  }

  #measuredFile(file: AppendFile): AppendFile {
    return {
      initialSize: file.initialSize,
      append: (bytes) => file.append(bytes),
      close: () => file.close(),
      sync: async () => {
        const startedAt = this.#clock.monotonicMs();
        try {
          await file.sync();
        } catch (error) {
          this.#failures += 1;
          throw error;
        }
        this.#durations.observe((this.#clock.monotonicMs() - startedAt) / 1_000);
      },
    };
  }

  get durations(): readonly Sample[] {
    return this.#durations.samples();
  }

  get failures(): number {
    return this.#failures;
  }
}
