import type { SluiceConfig } from '../../../config/config.js';
import { SafetyRefusal, UsageError } from '../../../core/command-errors.js';
import { EXIT } from '../../../core/exit-code.js';
import { AcceptedLimits } from '../../../live/state/accepted-limits.js';
import { readLimitChanges } from '../../../live/state/journaled-limits.js';
import { changeBlock, withChanges } from '../../../risk/catalog/limit-changes.js';
import { limitText } from '../../../risk/catalog/limit-catalog.js';
import { tightened } from '../../../risk/catalog/tightened.js';
import type { StatusReport } from '../../../live/status/status-report.js';
import type { Io } from '../../command-io.js';
import { ask } from '../../operator-target.js';
import { printJson } from '../account/print.js';
import { configOfState } from '../kill/config-of-state.js';
import { leaveToNextStart, withBot } from '../strategy/strategy-target.js';
import type { RiskOptions } from './risk-options.js';

type TightenOptions = Extract<RiskOptions, { readonly what: 'tighten' }>;

/** Tightens limits of a running bot at once, else at its next start. */
export const tightenLimits = (options: TightenOptions, io: Io): Promise<number> => {
  const { limits, json, reason = 'sluice risk tighten' } = options;
  return withBot(options, io, async (target, client) => {
    if (client !== undefined) {
      const before = await ask(client, { command: 'status' });
      const report = await ask(client, { command: 'tighten', limits, reason });
      await new AcceptedLimits(io.files, target.stateDir).revoke();
      const news = report.tightened.filter(
        ({ key, to }) => before.tightened.find((each) => each.key === key)?.to !== to,
      );
      if (json) printJson(io, documentOf(report, news));
      else io.stdout(newsText(news, ''));
      return EXIT.done;
    }
    const config = target.config ?? (await configOfState(target.stateDir, io.files));
    if (config === undefined)
      throw new UsageError(`${target.stateDir} names no configuration: give it with --config`);
    const news = await changesOf(limits, { config, stateDir: target.stateDir, reason }, io);
    if (news.length > 0) {
      await leaveToNextStart(target, { kind: 'tighten', limits, reason }, io);
      await new AcceptedLimits(io.files, target.stateDir).revoke();
    }
    if (json) printJson(io, { running: false, changes: news });
    else io.stdout(newsText(news, 'no daemon runs; from the next start on: '));
    return EXIT.done;
  });
};

interface OfflineInputs {
  readonly config: SluiceConfig;
  readonly stateDir: string;
  readonly reason: string;
}

/** @throws SafetyRefusal where a limit would allow more, UsageError for a wrong key or value */
async function changesOf(
  limits: Readonly<Record<string, string>>,
  { config, stateDir, reason }: OfflineInputs,
  io: Io,
): Promise<StatusReport['tightened']> {
  const configured = config.riskSettings.limits;
  const earlier = await readLimitChanges(stateDir, io.files);
  const changes = Object.entries(limits).map(([key, value]) => ({ key, value, reason }));
  const now = withChanges(configured, earlier);
  const result = tightened(now.limits, changeBlock(changes));
  if (!result.ok) {
    const text = result.problems.join('; ');
    throw result.isLooser ? new SafetyRefusal(text) : new UsageError(text);
  }
  const next = withChanges(configured, [...earlier, ...changes]).tightened;
  return next.filter(({ key, to }) => now.tightened.find((each) => each.key === key)?.to !== to);
}

const documentOf = (report: StatusReport, changes: StatusReport['tightened']) => ({
  running: report.running,
  changes,
  tightened: report.tightened,
});

const newsText = (news: StatusReport['tightened'], prefix: string): string =>
  news.length === 0
    ? 'nothing changes: each limit is as tight already\n'
    : news
        .map(
          ({ key, unit, from, to }) =>
            `${prefix}${key} is ${limitText(to, unit)} (configured: ${limitText(from ?? undefined, unit)})\n`,
        )
        .join('');
