import { join } from 'node:path';
import type { DataCatalog } from '../../../catalog/catalog.js';
import type { CandleDataset } from '../../../catalog/dataset.js';
import { StartError } from '../../../core/command-errors.js';
import type { Logger, Net } from '../../../core/ports.js';
import { openDownloadApi } from '../../../tools/download/download-api.js';
import { runDownload } from '../../../tools/download/run-download.js';
import type { RecordEvent } from '../../../tools/record/record-event.js';
import type { Io } from '../../command-io.js';

export interface RecordCandlesParts {
  readonly io: Io;
  readonly net: Net;
  readonly logger: Logger;
  readonly catalog: DataCatalog;
  readonly baseUrl: string;
  readonly symbols: readonly string[];
  readonly kinds: readonly CandleDataset['kind'][];
  readonly onEvent: (event: RecordEvent) => void;
  readonly onStop: (stop: () => void) => () => void;
}

/** Calls a minute of the venue's 300: a bot at the same address keeps the others. */
export const CANDLE_RATE = 10;
const MINUTE_MS = 60_000;
/** A new dataset begins with the last closed candles, so that a later start finds its end and goes on there. */
const FIRST_MS = 2 * MINUTE_MS;

/**
 * Adds the minutes that have closed since the end of each dataset. They come from the venue's history: an outage
 * leaves no gap, and no running minute is written.
 * @throws StartError when the venue does not answer, errors of `runDownload`
 */
export async function recordCandles(parts: RecordCandlesParts): Promise<void> {
  const { io, net, logger, catalog, baseUrl, kinds, onEvent, onStop } = parts;
  const nowMs = await venueNow(parts);
  if (nowMs === undefined) return;
  const toMs = nowMs - (nowMs % MINUTE_MS);
  for (const kind of kinds) {
    for (const [fromMs, symbols] of await symbolsByStart(parts, kind, toMs)) {
      if (fromMs >= toMs) continue;
      const { rows, empty } = await runDownload(
        {
          baseUrl,
          symbols,
          kind,
          interval: '1m',
          fromMs,
          toMs,
          overwrite: false,
          rate: CANDLE_RATE,
        },
        catalog,
        { ...io, net, logger },
        {
          onProgress: () => undefined,
          onNote: (text) => {
            onEvent({ event: 'note', text });
          },
          onStop,
        },
      );
      if (rows > 0) onEvent({ event: 'candles', kind, rows });
      if (empty.length > 0)
        throw new StartError(`the venue has no ${kind} of ${empty.join(', ')}; check --symbol`);
    }
  }
}

/** The symbols by the end of their rows. */
async function symbolsByStart(
  { catalog, symbols }: RecordCandlesParts,
  kind: CandleDataset['kind'],
  toMs: number,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const byStart = new Map<number, string[]>();
  for (const symbol of symbols) {
    const held = await catalog.coverage({ kind, symbol, interval: '1m' });
    const fromMs = held?.ranges.at(-1)?.toMs ?? toMs - FIRST_MS;
    byStart.set(fromMs, [...(byStart.get(fromMs) ?? []), symbol]);
  }
  return byStart;
}

/** ms UTC at the venue, by the `Date` of a call of one candle; undefined: the recorder was stopped meanwhile. */
async function venueNow(parts: RecordCandlesParts): Promise<number | undefined> {
  const { io, net, logger, catalog, baseUrl, symbols, onStop } = parts;
  const stateDir = join(catalog.folder, 'download');
  const { api, nowMs } = await openDownloadApi({
    ...{ ...io, net, logger, baseUrl, stateDir, rate: CANDLE_RATE },
  });
  const toMs = io.clock.utcMs();
  let forget: (() => void) | undefined;
  const stopped = new Promise<undefined>((resolve) => {
    forget = onStop(() => {
      resolve(undefined);
    });
  });
  try {
    const range = { fromMs: toMs - MINUTE_MS, toMs };
    const asked = api.klines({ symbols: symbols.slice(0, 1), interval: '1m', ...range });
    // At ten calls a minute its permit may take a minute.
    const outcome = await Promise.race([asked, stopped]);
    if (outcome === undefined) return undefined;
    if (outcome.kind === 'yes') return nowMs();
    const reason = outcome.kind === 'no' ? outcome.text : outcome.cause;
    throw new StartError(`the venue does not answer (${reason})`);
  } finally {
    forget?.();
    await api.close();
  }
}
