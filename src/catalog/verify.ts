import { CatalogError } from './catalog-error.js';
import type { CatalogEntry, DataCatalog } from './catalog.js';
import { gapsOf, rangesOf, uncoveredIn, type TimeRange } from './coverage.js';
import { answeredRanges, type FileState } from './dataset-record.js';
import { repairCommand, type CatalogFaultKind } from './repair-command.js';
import { rowFaults, type RowFault } from './row-fault.js';

/** A fault of a file of the catalogue. */
export interface CatalogFault extends TimeRange {
  readonly kind: CatalogFaultKind;
  /** Rows with this fault, or missing rows. */
  readonly count: number;
  /** Of the first row, or of the file. */
  readonly reason: string;
  /** Shell command that repairs it. */
  readonly repair: string;
}

export interface VerifiedDataset {
  readonly entry: CatalogEntry;
  readonly faults: readonly CatalogFault[];
  /** Gaps for which the venue has answered: it has no candles there, so no command fills them. */
  readonly venueGaps: readonly TimeRange[];
}

/** Rows with faults that are counted in one file. */
const MAX_ROW_FAULTS = 100_000;

/** Reads a file of the catalogue and finds its faults. */
export async function verifyDataset(
  catalog: DataCatalog,
  entry: CatalogEntry,
): Promise<VerifiedDataset> {
  const { dataset, state, path } = entry;
  const whole = wholeRange(state);
  let isIntact = false;
  const fault = (kind: CatalogFaultKind, range: TimeRange, count: number, reason: string) => {
    // No row of a changed file can be trusted: it is made again as a whole.
    const repair = isIntact
      ? repairCommand(catalog.folder, entry, kind, range)
      : repairCommand(catalog.folder, entry, 'checksum', whole);
    return { fromMs: range.fromMs, toMs: range.toMs, kind, count, reason, repair };
  };
  const faults: CatalogFault[] = [];
  try {
    const found = await catalog.inspect(dataset);
    if (found === undefined) return { entry, faults, venueGaps: [] };
    isIntact = state?.sha256 === found.sha256;
    if (state === undefined)
      faults.push(fault('no-record', whole, 1, 'its record is missing or unreadable'));
    else if (!isIntact)
      faults.push(fault('checksum', whole, 1, 'its checksum is not that of its record'));
    for (const { kind, first, last, count } of byKind(
      rowFaults(dataset, found.rows, MAX_ROW_FAULTS),
    ))
      faults.push(
        fault(kind, { fromMs: first.timeMs, toMs: last.timeMs + 1 }, count, first.reason),
      );
    const gaps = gapsOf(dataset, rangesOf(dataset, found.rows));
    const answered = state === undefined ? [] : answeredRanges(state);
    const isOpen = (gap: TimeRange): boolean => uncoveredIn(gap, answered).length > 0;
    for (const gap of gaps.filter(isOpen)) {
      const reason = gap.missing === 1 ? '1 row is missing' : `${gap.missing} rows are missing`;
      faults.push(fault('gap', gap, gap.missing, reason));
    }
    return { entry, faults, venueGaps: gaps.filter((gap) => !isOpen(gap)) };
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    const reason = error.message.replace(`${path}: `, '');
    return { entry, faults: [fault('unreadable', whole, 1, reason)], venueGaps: [] };
  }
}

const wholeRange = (state: FileState | undefined): TimeRange => ({
  fromMs: state?.ranges[0]?.fromMs ?? 0,
  toMs: state?.ranges.at(-1)?.toMs ?? 0,
});

/** One entry a kind of fault: a damaged file may have thousands of them. */
function byKind(faults: readonly RowFault[]) {
  const kinds = new Map<RowFault['kind'], RowFault[]>();
  for (const fault of faults) {
    const same = kinds.get(fault.kind);
    if (same === undefined) kinds.set(fault.kind, [fault]);
    else same.push(fault);
  }
  return [...kinds].flatMap(([kind, all]) => {
    const [first] = all;
    const last = all.at(-1);
    return first === undefined || last === undefined
      ? []
      : [{ kind, first, last, count: all.length }];
  });
}
