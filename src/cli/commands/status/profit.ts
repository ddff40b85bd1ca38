import { UsageError } from '../../../core/command-errors.js';
import { profitStatuses } from '../../../live/status/strategy-profit.js';
import type { StatusReport } from '../../../live/status/status-report.js';
import type { Io } from '../../command-io.js';
import type { OperatorTarget } from '../../operator-target.js';
import { readBooks } from '../books/read-books.js';
import { warn } from '../books/write-books.js';
import { configOfState } from '../kill/config-of-state.js';

/**
 * Adds the profit of each strategy, from the lists of the venue. Its requests share the limits of the key.
 * @throws UsageError where no configuration is known, VenueError where the venue cannot be read
 */
export async function withProfit(
  report: StatusReport,
  { stateDir, config: named }: OperatorTarget,
  io: Io,
): Promise<StatusReport> {
  const config = named ?? (await configOfState(stateDir, io.files));
  if (config === undefined)
    throw new UsageError(`${stateDir} names no configuration: give it with --config`);
  const currency = config.venue.tradeCurrency;
  const options = {
    config: config.path,
    currency,
    tz: 'UTC',
    offline: false,
    json: true,
    debug: false,
  } as const;
  const { statements, problems } = await readBooks(options, io, false);
  warn(problems, io);
  const rows = statements.flatMap((statement) => statement.rows);
  const now =
    report.running && report.venue_time !== null ? Date.parse(report.venue_time) : io.clock.utcMs();
  const unrealised = new Map(report.strategies.map((each) => [each.id, each.unrealised_pnl]));
  return { ...report, profit: profitStatuses(rows, now, unrealised) };
}
