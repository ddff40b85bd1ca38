import { loadConfig, type SluiceConfig } from '../../../config/config.js';
import { EXIT } from '../../../core/exit-code.js';
import { UsageError } from '../../../core/command-errors.js';
import { freshSecret } from '../../../io/node/fresh-secret.js';
import { acceptsLimits, compareLimits } from '../../../live/checks/loosened-limits.js';
import { AcceptedLimits, limitsHash } from '../../../live/state/accepted-limits.js';
import { readLimitChanges } from '../../../live/state/journaled-limits.js';
import { withChanges } from '../../../risk/catalog/limit-changes.js';
import { looseningText, type Loosening } from '../../../risk/catalog/limit-catalog.js';
import type { Io } from '../../command-io.js';
import { confirm } from '../account/confirmation.js';
import { printJson } from '../account/print.js';
import type { RiskOptions } from './risk-options.js';

type AcceptOptions = Extract<RiskOptions, { readonly what: 'accept' }>;

/** Signs looser limits for the next start (control R44). A daemon may run meanwhile. */
export async function acceptLimits(options: AcceptOptions, io: Io): Promise<number> {
  const config = await loadConfig(options.config, io.files);
  refuseEmbedded(config);
  const folder = new AcceptedLimits(io.files, config.stateDir);
  const { record, loosened: sinceStart } = await compareLimits(config, folder);
  const ended = await tightenedOf(config, io.files);
  const loosened = [...sinceStart, ...ended];
  const changes = loosened.map(looseningText);
  const document = { config: config.path, hash: limitsHash(record), loosened: changes };
  const isAccepted = loosened.length > 0 && (await acceptsLimits(record, folder));
  if (loosened.length === 0 || isAccepted) {
    const why = isAccepted ? 'these limits are accepted already' : NOTHING_LOOSER;
    if (options.json) printJson(io, { ...document, accepted: isAccepted });
    else io.stdout(`${why}: the next start needs no acceptance\n`);
    return EXIT.done;
  }
  const lines = ['These limits will allow more than those of the last start:', ...changes];
  await confirm({ lines }, options.yes, io);
  await folder.accept(record, freshSecret());
  if (options.json) printJson(io, { ...document, accepted: true });
  else io.stdout(`accepted for the next start: limits ${document.hash} in ${config.stateDir}\n`);
  return EXIT.done;
}

/** Limits that a person tightened at run time: an acceptance ends them. */
async function tightenedOf(
  { stateDir, riskSettings }: SluiceConfig,
  files: Io['files'],
): Promise<readonly Loosening[]> {
  const changes = await readLimitChanges(stateDir, files);
  return withChanges(riskSettings.limits, changes).tightened.map(({ key, unit, from, to }) => ({
    ...{ key, unit, before: to },
    after: from ?? undefined,
  }));
}

const NOTHING_LOOSER = 'no limit allows more than at the last start';

function refuseEmbedded({ venue, locate }: SluiceConfig): void {
  if (venue.endpoint.kind !== 'embedded') return;
  throw new UsageError(
    `${locate(['venue'])} each run on an embedded sandbox has a new state folder: there is nothing to accept`,
  );
}
