import { modeOfOwner, ownerProblem, stateOwnerOf } from '../state/state-owner.js';
import { textFromFixed } from '../../core/fixed/fixed.js';
import type { StartFacts } from './start-facts.js';
import { EVERY, fail, judged, pass, REAL, type Interlock } from './interlock.js';
import type { Difference, DifferenceKind } from '../plan/difference.js';

/**
 * File systems that lose the journal with the machine or the container, or whose locks and syncs other
 * machines share (hazard K8).
 */
const UNSAFE_FILE_SYSTEMS =
  /^(?:tmpfs|ramfs|rootfs|devtmpfs|overlay|overlayfs|aufs|squashfs|9p|virtiofs|vboxsf|nfs\d*|cifs|smb\w*|afs|ceph|glusterfs|lustre|fuse(?:\..*)?)$/;

/** Journal, record and reserve of days at the usual pace (docs/benchmarks.md). */
const MIN_FREE_BYTES = 256 * 1024 * 1024;

const stateDisk: Interlock = {
  id: 'state_disk',
  severity: 'hard',
  modes: REAL,
  reads: 'machine',
  entriesOnly: true,
  requires:
    'the state folder is on a local disk: not in memory (tmpfs), not in the layer of a container (overlay), not on the network',
  mend: 'set state_dir in CONFIG to a folder on a local disk; in a container mount a volume there',
  judge: ({ config: { stateDir }, machine: { disk } }) =>
    judged(disk, ({ fileSystem }) =>
      UNSAFE_FILE_SYSTEMS.test(fileSystem)
        ? fail(`${stateDir} is on ${fileSystem}, which may lose the journal`)
        : pass(`${stateDir} is on ${fileSystem}`),
    ),
};

const diskSpace: Interlock = {
  id: 'disk_space',
  severity: 'hard',
  modes: REAL,
  reads: 'machine',
  entriesOnly: true,
  requires: 'the disk of the state folder has 256 MiB free',
  mend: 'free space on the disk of STATE_DIR, or set record.keep_days in CONFIG lower',
  judge: ({ machine: { disk } }) =>
    judged(disk, ({ freeBytes }) => {
      const free = `${Math.floor(freeBytes / 1_048_576)} MiB free`;
      return freeBytes < MIN_FREE_BYTES ? fail(free) : pass(free);
    }),
};

const separateState: Interlock = {
  id: 'separate_state',
  severity: 'hard',
  modes: EVERY,
  reads: 'machine',
  requires: 'the state folder is new, or was written in this mode for this account and venue',
  mend: 'give this mode and account a state_dir of its own in CONFIG',
  judge({ config, machine: { state } }) {
    const { header } = state;
    if (header === undefined) return pass('a new state');
    const { endpoint } = config.venue;
    // Each run on an embedded sandbox has a folder of its own.
    if (endpoint.kind !== 'remote') return pass('each run has a state of its own');
    if (header.type === 'header') {
      const mode = modeOfOwner(header);
      if (mode !== config.mode)
        return fail(
          `${config.stateDir} was written in mode ${mode}, and this is mode ${config.mode}`,
        );
    }
    const instance = header.type === 'header' ? header.instance : undefined;
    const owner = stateOwnerOf(config, endpoint.baseUrl, instance);
    const problem = ownerProblem(config.stateDir, header, owner);
    return problem === undefined ? pass(`written by account ${config.account}`) : fail(problem);
  },
};

const killSwitch: Interlock = {
  id: 'kill_switch',
  severity: 'soft',
  modes: EVERY,
  reads: 'machine',
  requires: 'no kill switch is set',
  mend: 'look at what happened, then: sluice resume STATE_DIR',
  judge: ({ machine: { state } }) =>
    state.kill === undefined ? pass('not set') : fail(`it is set to ${state.kill.level}`),
};

/** Closes every position of the bot, and lets it trade again. */
const CLOSE = 'sluice kill --level flatten --config CONFIG, then sluice resume --config CONFIG';

/** The commands that decide a difference; undefined: no strategy id is known. */
type Command = (difference: Difference) => string | undefined;

/** A difference from the journal that a person decides while a position is open. */
const undecided = (
  id: string,
  kind: DifferenceKind,
  { command, ...text }: Pick<Interlock, 'requires' | 'mend'> & { readonly command: Command },
): Interlock => ({
  id,
  severity: 'hard',
  modes: ['live'],
  reads: 'machine',
  entriesOnly: true,
  ...text,
  judge({ machine: { state } }) {
    const found = state.differences.filter((difference) => difference.kind === kind);
    if (found.length === 0) return pass('none');
    const commands = new Set(found.map(command));
    const mend = commands.has(undefined) ? undefined : [...commands].join('; ');
    return fail(found.map((each) => each.text).join('; '), mend);
  },
});

const orphan = undecided('orphan', 'orphan', {
  requires: 'every open position of the journal has a configured strategy',
  mend: `restore its strategy in CONFIG, or decide it: sluice strategy retire ID [--close] --config CONFIG. A position without an id: ${CLOSE}`,
  command: ({ was }) =>
    was && `restore ${was} in CONFIG, or sluice strategy retire ${was} [--close] --config CONFIG`,
});

const renamedStrategy = undecided('renamed_strategy', 'renamed', {
  requires: 'the strategy of an open position has the id that opened it',
  mend: 'restore the id in CONFIG, or decide it: sluice strategy rename OLD NEW, adopt OLD or retire OLD [--close] --config CONFIG',
  command: ({ was, is }) =>
    was &&
    is &&
    `the same strategy: sluice strategy rename ${was} ${is} --config CONFIG; another one that takes the position: ` +
      `sluice strategy adopt ${was} --config CONFIG; else sluice strategy retire ${was} [--close] --config CONFIG`,
});

const changedInJournal = undecided('changed_leverage', 'leverage', {
  requires:
    'the leverage of an open position is as configured: at its entry by the journal, and now at the venue',
  mend: 'accept it: sluice strategy adopt ID --config CONFIG, or restore the leverage in CONFIG until the position is closed',
  command: ({ strategy }) =>
    strategy &&
    `accept it: sluice strategy adopt ${strategy} --config CONFIG, or restore the leverage in CONFIG until the position is closed`,
});

/** The journal is judged before the venue is asked, the setting at the venue after it. */
const changedLeverage: Interlock = {
  ...changedInJournal,
  judge(facts) {
    const verdict = changedInJournal.judge(facts);
    if (!verdict.ok || facts.venue === undefined) return verdict;
    return judged(facts.venue.positions, (positions) => {
      const changes = positions.flatMap(({ symbol }) => changedAtVenue(symbol, facts) ?? []);
      if (changes.length === 0) return pass('none');
      const found = changes.map(({ strategy, symbol, configured, set }) => {
        const where = `that of ${symbol} is ${set} at the venue, with a position open`;
        return `${strategy}: leverage is ${configured}, and ${where}`;
      });
      const mends = changes.map(
        ({ strategy, symbol, configured, set }) =>
          `set the leverage of ${symbol} to ${configured} on the venue's page; or write ${set} into CONFIG, then ` +
          `sluice strategy adopt ${strategy} --config CONFIG`,
      );
      return fail(found.join('; '), mends.join('; '));
    });
  },
};

interface ChangedSetting {
  readonly strategy: string;
  readonly symbol: string;
  /** Decimal texts. */
  readonly configured: string;
  readonly set: string;
}

/** The setting of a symbol with an open position, where it differs and no decision awaits its start. */
function changedAtVenue(
  symbol: string,
  { config, machine, venue }: StartFacts,
): ChangedSetting | undefined {
  const strategy = config.strategies.find(({ symbols }) => symbols.includes(symbol));
  const reading = venue?.leverage.get(symbol);
  if (strategy === undefined || machine.state.adoptedLeverage.has(symbol)) return undefined;
  // A setting that cannot be read fails the interlock `leverage`.
  if (reading === undefined || 'fault' in reading || reading.value === undefined) return undefined;
  if (reading.value === strategy.leverage) return undefined;
  return {
    strategy: strategy.id,
    symbol,
    configured: textFromFixed(strategy.leverage),
    set: textFromFixed(reading.value),
  };
}

export const STATE_INTERLOCKS: readonly Interlock[] = [
  separateState,
  stateDisk,
  diskSpace,
  orphan,
  renamedStrategy,
  changedLeverage,
  killSwitch,
];
