import { StartError, UsageError } from '../../../core/command-errors.js';
import { EXIT } from '../../../core/exit-code.js';
import { textFromFixed } from '../../../core/fixed/fixed.js';
import { nodeProcessFacts } from '../../../io/node/process/node-process-facts.js';
import { journalFacts, type JournaledPosition } from '../../../live/plan/journal-facts.js';
import {
  decideOwnership,
  holdingOf,
  type OwnershipRecord,
} from '../../../live/plan/ownership-decision.js';
import { appendDecision } from '../../../live/state/append-decision.js';
import type { Io } from '../../command-io.js';
import type { OperatorTarget } from '../../operator-target.js';
import { configOfState } from '../kill/config-of-state.js';
import type { OwnershipOptions } from './ownership-options.js';
import { withBot } from './strategy-target.js';

/** A decision, for people and for `--json`. */
interface Decided {
  readonly records: readonly OwnershipRecord[];
  readonly positions: readonly JournaledPosition[];
}

/** Decides what a strategy id of the journal holds, before the next start. */
export const ownershipCommand = (options: OwnershipOptions, io: Io): Promise<number> =>
  withBot(options, io, async (target, client) => {
    if (client !== undefined) throw new StartError(refusalText(options, target));
    const decided = await decide(options, target, io);
    if (options.json) io.stdout(`${JSON.stringify(documentOf(options, decided))}\n`);
    else io.stdout(decided.records.map((record) => `${textOf(record, decided)}\n`).join(''));
    return EXIT.done;
  });

/** A running bot has settled at its start who owns what; orders in flight and states belong to that owner. */
function refusalText({ request }: OwnershipOptions, { stateDir }: OperatorTarget): string {
  const external =
    request.decision === 'adopt'
      ? '. The position of an external hand is adopted while the daemon runs: sluice resume SYMBOL --adopt'
      : '';
  const close =
    request.decision === 'retire'
      ? '. To stop or close a configured strategy now: sluice strategy stop ID [--close]'
      : '';
  return (
    `a daemon runs on ${stateDir}, and a start decides who owns what: stop the daemon (Ctrl-C, or SIGTERM), ` +
    `give the command again, then start it${external}${close}`
  );
}

async function decide(
  { request, reason }: OwnershipOptions,
  target: OperatorTarget,
  io: Io,
): Promise<Decided> {
  const { stateDir } = target;
  const config = target.config ?? (await configOfState(stateDir, io.files));
  if (config === undefined)
    throw new UsageError(`${stateDir} names no configuration: give it with --config`);
  if (config.venue.endpoint.kind === 'embedded')
    throw new UsageError(
      'each run on an embedded sandbox begins with a new folder: there is no next start of this one',
    );
  let decided: Decided = { records: [], positions: [] };
  await appendDecision(stateDir, { files: io.files, facts: nodeProcessFacts }, (journal) => {
    const facts = journalFacts(journal, config.account, config.venue.tradeCurrency);
    const records = decideOwnership(request, {
      ...{ strategies: config.strategies, facts, reason },
      configPath: config.path,
      venueTime: journal.at(-1)?.venueTime ?? 0,
      decidedAt: io.clock.utcMs(),
    });
    decided = { records, positions: holdingOf(request.id, facts).positions };
    return records;
  });
  return decided;
}

const documentOf = ({ request, reason }: OwnershipOptions, { records, positions }: Decided) => ({
  decision: request.decision,
  strategy: request.id,
  reason,
  close: request.decision === 'retire' && request.close,
  owners: records.map(({ to = null, symbols, orders }) => ({ id: to, symbols, orders })),
  positions: positions.map(({ symbol, quantity }) => ({
    symbol,
    quantity: textFromFixed(quantity),
  })),
});

function textOf(record: OwnershipRecord, { positions }: Decided): string {
  const { decision, strategyId: id, to = '', symbols, close = false, orders } = record;
  const held = positions
    .filter(({ symbol }) => symbols.includes(symbol))
    .map(({ symbol, quantity }) => `${textFromFixed(quantity)} ${symbol}`)
    .join(', ');
  const holds = held === '' ? 'no position' : held;
  switch (decision) {
    case 'rename':
      return `${id} is ${to} from the next start on, with its state, profit and loss; it holds ${holds}`;
    case 'adopt':
      return id === to
        ? `${id} keeps ${holds} with the leverage of the configuration, which the next start sets`
        : `${to} has ${holds} from the next start on; profit and loss until now stay with ${id}`;
    case 'retire': {
      const entries = orders.length === 1 ? 'its entry' : `its ${orders.length} entries`;
      const canceled = orders.length === 0 ? '' : `; the next start cancels ${entries}`;
      if (held === '') return `${id} is retired; it has no position${canceled}`;
      return close
        ? `${id} is retired; the next start closes ${held}${canceled}`
        : `${id} is retired; ${held} has no owner any more: no strategy closes it, its stop at the venue stays${canceled}`;
    }
  }
}
