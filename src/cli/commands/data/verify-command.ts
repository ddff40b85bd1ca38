import { datasetText } from '../../../catalog/dataset.js';
import { verifyDataset, type CatalogFault, type VerifiedDataset } from '../../../catalog/verify.js';
import { EXIT } from '../../../core/exit-code.js';
import { oneLine } from '../../../core/terminal-text.js';
import type { Io } from '../../command-io.js';
import { printJson } from '../account/print.js';
import type { DataVerifyOptions } from './data-options.js';
import { openCatalog } from './open-catalog.js';

/** Runs `sluice data verify`. @returns 1 when a file has a fault */
export async function dataVerifyCommand(options: DataVerifyOptions, io: Io): Promise<number> {
  const catalog = openCatalog(options, io);
  const verified: VerifiedDataset[] = [];
  for (const entry of await catalog.list()) {
    if (options.symbol !== undefined && entry.dataset.symbol !== options.symbol) continue;
    verified.push(await verifyDataset(catalog, entry));
  }
  const faulty = verified.filter(({ faults }) => faults.length > 0);
  if (options.json)
    printJson(io, {
      catalog: catalog.folder,
      ok: faulty.length === 0,
      datasets: verified.map(json),
    });
  else
    io.stdout(
      lines(verified, faulty, catalog.folder)
        .map((line) => `${oneLine(line)}\n`)
        .join(''),
    );
  return faulty.length === 0 ? EXIT.done : EXIT.failed;
}

const json = ({ entry: { dataset, path }, faults, venueGaps }: VerifiedDataset) => ({
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

function lines(
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
        : [`${datasetText(dataset)}: the venue has no data in ${venueGaps.length} gaps`]),
    ]),
    count === 0
      ? `${verified.length} files, no faults`
      : `${verified.length} files, ${count} faults in ${faulty.length} of them`,
  ];
}

function faultText({ kind, count, reason, ...range }: CatalogFault): string {
  const { from, to } = rangeJson(range);
  if (kind === 'unreadable' || kind === 'no-record' || kind === 'checksum') return reason;
  if (kind === 'gap') return `${reason} from ${from} to ${to}`;
  const others = count === 1 ? '' : `, and ${count - 1} more rows up to ${to}`;
  return `the row of ${from}: ${reason}${others}`;
}

const rangeJson = ({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }) => ({
  from: new Date(fromMs).toISOString(),
  to: new Date(toMs).toISOString(),
});
