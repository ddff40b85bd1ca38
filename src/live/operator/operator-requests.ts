import type { OperatorCommand } from '../../core/events.js';
import type { Clock } from '../../core/ports.js';
import type { SluiceConfig } from '../../config/config.js';
import { CommandFailure } from '../../core/command-errors.js';
import { changeBlock } from '../../risk/catalog/limit-changes.js';
import { tightened } from '../../risk/catalog/tightened.js';
import type { StrategyStarter } from '../strategies/strategy-starter.js';
import type { Bot } from '../bot/bot.js';
import type { CandleTimes } from '../status/candle-times.js';
import { engineStatus } from '../status/engine-status.js';
import type { StatusReport } from '../status/status-report.js';
import type { KillSwitch } from './kill-switch.js';
import { VenueError } from '../../venue/venue.js';
import { OperatorRequestError, type OperatorRequest } from './operator-protocol.js';

/** Real ms for which one status answers every client. */
const STATUS_REUSE_MS = 100;

export interface OperatorRequestsParts {
  readonly bot: Bot;
  readonly config: SluiceConfig;
  readonly stateDir: string;
  readonly pid: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly killSwitch: KillSwitch;
  readonly starter: StrategyStarter;
  readonly candleTimes: CandleTimes;
  /** Ends the repetition of the raised alerts and returns their keys; undefined: nothing notifies. */
  readonly acknowledge: (() => readonly string[]) | undefined;
}

/** Answers the requests of the operator channel. A change is answered once the journal holds it. */
export class OperatorRequests {
  readonly #parts: OperatorRequestsParts;
  #status: { readonly at: number; readonly report: StatusReport } | undefined;

  constructor(parts: OperatorRequestsParts) {
    this.#parts = parts;
  }

  /** @returns the status after the request. @throws OperatorRequestError */
  async answer(request: OperatorRequest): Promise<StatusReport> {
    const { bot, config, killSwitch } = this.#parts;
    if (request.account !== undefined && request.account !== config.account) {
      const text = `this daemon runs account ${config.account}, not ${request.account}`;
      throw new OperatorRequestError('other-account', text);
    }
    if (request.command === 'status') return this.status();
    if (request.command === 'acknowledge') return this.#acknowledge();
    if (bot.failure !== undefined && !bot.isCancelOnly) {
      throw new OperatorRequestError('stopped', `the run has failed: ${bot.failure.message}`);
    }
    switch (request.command) {
      case 'kill':
        await killSwitch.set({ level: request.level }, request.reason ?? 'an operator');
        break;
      case 'pause':
        if (request.strategy !== undefined) {
          await this.#command({ ...pauseOf(request), strategy: this.#strategy(request.strategy) });
          break;
        }
        await killSwitch.set(
          { level: 'pause', ...(request.until !== undefined && { until: request.until }) },
          request.reason ?? 'an operator',
        );
        break;
      case 'resume':
        if (request.strategy === undefined) await this.#resume(request);
        else {
          const strategy = this.#strategy(request.strategy);
          await this.#command({ kind: 'resume-strategy', strategy, reason: reasonOf(request) });
        }
        break;
      case 'stop-strategy': {
        const strategy = this.#strategy(request.strategy);
        const { close } = request;
        await this.#command({ kind: 'stop-strategy', strategy, close, reason: reasonOf(request) });
        break;
      }
      case 'tighten':
        await this.#tighten(request);
        break;
      case 'start-strategy':
        return this.#start(this.#strategy(request.strategy), request.reload, reasonOf(request));
    }
    return this.#newStatus();
  }

  #acknowledge(): StatusReport {
    const { acknowledge } = this.#parts;
    if (acknowledge === undefined) {
      const text = 'this bot has no notify: block in its configuration, so no alert repeats';
      throw new OperatorRequestError('bad-request', text);
    }
    return { ...this.#newStatus(), acknowledged: acknowledge() };
  }

  async #resume({
    symbol,
    adopt = false,
    reason,
  }: Extract<OperatorRequest, { readonly command: 'resume' }>): Promise<void> {
    const why = reason !== undefined && { reason };
    const { bot, killSwitch } = this.#parts;
    if (symbol === undefined) {
      if (adopt) throw new OperatorRequestError('bad-request', 'an adoption names its symbol');
      await killSwitch.resume(reason);
      return;
    }
    const { hosts, restrictions } = bot.engine;
    const isTraded = hosts.some(({ symbols }) => symbols.includes(symbol));
    if (!isTraded && adopt) {
      const text = `no configured strategy trades ${symbol}: nothing would manage an adopted position`;
      throw new OperatorRequestError('bad-request', text);
    }
    if (!isTraded && !restrictions.some((each) => each.symbol === symbol)) {
      const text = `no configured strategy trades ${symbol}, and nothing restricts it`;
      throw new OperatorRequestError('bad-request', text);
    }
    if (adopt) bot.command({ kind: 'adopt', what: symbol });
    bot.command({ kind: 'resume', symbol, ...why });
    await bot.flushJournal();
  }

  /** All of the keys, or none. @throws OperatorRequestError */
  async #tighten({
    limits,
    ...request
  }: Extract<OperatorRequest, { readonly command: 'tighten' }>): Promise<void> {
    const { bot } = this.#parts;
    const changes = Object.entries(limits).map(([key, value]) => ({ key, value }));
    const result = tightened(bot.engine.limits, changeBlock(changes));
    if (!result.ok)
      throw new OperatorRequestError(
        result.isLooser ? 'refused' : 'bad-request',
        result.problems.join('; '),
      );
    if (result.changes.length > 0)
      await this.#command({ kind: 'tighten', limits, reason: reasonOf(request) });
  }

  /** A strategy that runs is started again by a reload only. */
  async #start(strategy: string, reload: boolean, reason: string): Promise<StatusReport> {
    const { bot, starter } = this.#parts;
    const host = bot.engine.hosts.find(({ id }) => id === strategy);
    if (!reload && host?.state === 'running' && !bot.engine.switchOf(strategy).isStopped)
      return this.#newStatus();
    try {
      const unapplied = await starter.start(bot, strategy, reload, reason);
      return { ...this.#newStatus(), ...(unapplied.length > 0 && { unapplied }) };
    } catch (error) {
      if (error instanceof VenueError) {
        const text = `${error.message}. ${strategy} goes on as before: give the command again when the venue answers`;
        throw new OperatorRequestError('failed', text);
      }
      if (!(error instanceof CommandFailure)) throw error;
      throw new OperatorRequestError('bad-request', error.message);
    }
  }

  /** @throws OperatorRequestError with the ids that there are */
  #strategy(id: string): string {
    const ids = this.#parts.bot.engine.hosts.map((host) => host.id);
    if (ids.includes(id)) return id;
    const text = `no strategy ${id} is configured: the ids are ${ids.join(', ')}`;
    throw new OperatorRequestError('bad-request', text);
  }

  /** The answer waits for the journal. */
  async #command(command: OperatorCommand): Promise<void> {
    const { bot } = this.#parts;
    bot.command(command);
    await bot.flushJournal();
  }

  /** At most 100 ms old. */
  status(): StatusReport {
    const now = this.#parts.clock.monotonicMs();
    if (this.#status !== undefined && now - this.#status.at < STATUS_REUSE_MS) {
      return this.#status.report;
    }
    return this.#newStatus();
  }

  #newStatus(): StatusReport {
    const { bot, clock, killSwitch } = this.#parts;
    const monotonic = clock.monotonicMs();
    const report = engineStatus({
      ...this.#parts,
      engine: bot.engine,
      kill: killSwitch.standing,
      venuePositions: bot.reportedPositions?.positions,
      monotonic,
      venueTime: bot.venueTimeIn(0),
    });
    this.#status = { at: monotonic, report };
    return report;
  }
}

const reasonOf = ({ reason }: { readonly reason?: string | undefined }): string =>
  reason ?? 'an operator';

const pauseOf = (request: Extract<OperatorRequest, { readonly command: 'pause' }>) => ({
  kind: 'pause-strategy' as const,
  ...(request.until !== undefined && { until: request.until }),
  reason: reasonOf(request),
});
