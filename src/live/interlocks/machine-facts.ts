import type { SluiceConfig } from '../../config/config.js';
import type { HostFacts, ResolveHost } from '../../core/host-facts.js';
import type { Files } from '../../core/ports.js';
import { recoverPositions } from '../../execution/recovery/recovered-positions.js';
import { adoptedLeverage } from '../plan/adopted-leverage.js';
import { createStartPlan } from '../plan/start-plan.js';
import { readJournal } from '../plan/read-journal.js';
import { readKillFile } from '../state/kill-file.js';
import { venueHosts } from './address-interlocks.js';
import { reading } from './reading.js';
import type { MachineFacts, SecretFacts, FoundState } from './start-facts.js';

export interface MachineFactsParts {
  readonly config: SluiceConfig;
  readonly host: HostFacts;
  readonly resolve: ResolveHost;
  readonly files: Files;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secret: PresentedSecret;
}

export interface PresentedSecret {
  /** undefined: there is none, or it cannot be read. */
  readonly text: string | undefined;
  /** Whether it came from the variable of the environment. */
  readonly isFromEnvironment: boolean;
}

/** Reads what the interlocks of the machine judge. Sends nothing but the lookups of the host names. */
export async function readMachineFacts(parts: MachineFactsParts): Promise<MachineFacts> {
  const { config, host, env } = parts;
  const addresses = venueHosts(config).map(
    async (name) =>
      [name, await reading(() => parts.resolve(name), `${name} cannot be resolved`)] as const,
  );
  return {
    nodeArguments: host.nodeArguments,
    env,
    isInspected: host.isInspected(),
    userId: host.userId,
    coreDumpLimit: await host.coreDumpLimit(),
    disk: await diskOf(parts),
    secret: await secretFacts(parts),
    addresses: new Map(await Promise.all(addresses)),
    state: await stateFacts(parts),
  };
}

async function diskOf({ config, host }: MachineFactsParts): Promise<MachineFacts['disk']> {
  const what = `the disk of ${config.stateDir} cannot be read`;
  const found = await reading(() => host.diskOf(config.stateDir), what);
  if ('fault' in found) return found;
  return found.value === undefined ? { fault: what } : { value: found.value };
}

async function secretFacts({
  config,
  host,
  secret: { text, isFromEnvironment },
}: MachineFactsParts): Promise<SecretFacts> {
  const path = config.venue.apiSecretFile;
  const access =
    path === undefined
      ? undefined
      : await reading(() => host.fileAccess(path), `${path} cannot be read`);
  return {
    ...(path !== undefined && access !== undefined && { file: { path, access } }),
    isInEnvironment: isFromEnvironment,
    isInArguments:
      text !== undefined && host.programArguments.some((argument) => argument.includes(text)),
    isInConfig: text !== undefined && config.text.includes(text),
  };
}

async function stateFacts({ config, files }: MachineFactsParts): Promise<FoundState> {
  // Each run on an embedded sandbox has a folder of its own.
  if (config.venue.endpoint.kind === 'embedded')
    return { differences: [], adoptedLeverage: new Set() };
  const records = await readJournal(files, config.stateDir);
  const kill = await readKillFile(files, config.stateDir);
  return {
    ...(records?.[0] !== undefined && { header: records[0] }),
    ...(kill !== undefined && { kill }),
    positions: recoverPositions(records ?? []),
    differences: records === undefined ? [] : createStartPlan(config, records).differences,
    adoptedLeverage: adoptedLeverage(records ?? []),
  };
}
