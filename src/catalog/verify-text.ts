import { countText } from '../core/terminal-text.js';
import { datasetText } from './dataset.js';
import type { CatalogFault, VerifiedDataset } from './verify.js';

/** The result for one file, as `--json` prints it. */
export const verifiedJson = ({ entry: { dataset, path }, faults, venueGaps }: VerifiedDataset) => ({
  symbol: dataset.symbol,
  kind: dataset.kind,
  interval: dataset.kind === 'funding' ? null : dataset.interval,
  path,
  faults: faults.map(({ kind, count, reason, repair, ...range }) => ({
    kind,
    ...rangeJson(range),
    count,
    reason,
    repair,
  })),
  venue_gaps: venueGaps.map(rangeJson),
});

/** The result for people, with the repair of each fault. */
export function verifiedLines(
  verified: readonly VerifiedDataset[],
  faulty: readonly VerifiedDataset[],
  folder: string,
): readonly string[] {
  if (verified.length === 0) return [`no data in ${folder}`];
  const count = faulty.reduce((sum, { faults }) => sum + faults.length, 0);
  return [
    ...verified.flatMap(({ entry: { dataset }, faults, venueGaps }) => [
      ...faults.flatMap((fault) => [
        `${datasetText(dataset)}: ${faultText(fault)}`,
        `  repair: ${fault.repair}`,
      ]),
      ...(venueGaps.length === 0
        ? []
        : [
            `${datasetText(dataset)}: the venue has no data in ${countText(venueGaps.length, 'gap')}`,
          ]),
    ]),
    count === 0
      ? `${countText(verified.length, 'file')}, no faults`
      : `${countText(verified.length, 'file')}, ${countText(count, 'fault')} in ${faulty.length} of them`,
  ];
}

function faultText({ kind, count, reason, ...range }: CatalogFault): string {
  const { from, to } = rangeJson(range);
  if (kind === 'unreadable' || kind === 'no-record' || kind === 'checksum') return reason;
  if (kind === 'gap') return `${reason} from ${from} to ${to}`;
  const others = count === 1 ? '' : `, and ${count - 1} more up to ${to}`;
  return `the row of ${from}: ${reason}${others}`;
}

const rangeJson = ({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }) => ({
  from: new Date(fromMs).toISOString(),
  to: new Date(toMs).toISOString(),
});
