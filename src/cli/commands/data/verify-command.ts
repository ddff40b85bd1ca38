import { verifyDataset, type VerifiedDataset } from '../../../catalog/verify.js';
import { verifiedJson, verifiedLines } from '../../../catalog/verify-text.js';
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
      datasets: verified.map(verifiedJson),
    });
  else
    io.stdout(
      verifiedLines(verified, faulty, catalog.folder)
        .map((line) => `${oneLine(line)}\n`)
        .join(''),
    );
  return faulty.length === 0 ? EXIT.done : EXIT.failed;
}
