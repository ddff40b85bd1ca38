import type { Logger } from '../../../core/ports.js';
import type { SluiceConfig } from '../../../config/config.js';
import { nodeProcessFacts } from '../../../io/node/process/node-process-facts.js';
import type { Bot } from '../../../live/bot/bot.js';
import { KillSwitch } from '../../../live/operator/kill-switch.js';
import { openOperatorSocket } from '../../../live/operator/open-operator-socket.js';
import type { NotifyService } from '../../../live/notify/notify-service.js';
import { OperatorRequests } from '../../../live/operator/operator-requests.js';
import type { StrategyStarter } from '../../../live/strategies/strategy-starter.js';
import type { StatusReport } from '../../../live/status/status-report.js';
import type { CandleTimes } from '../../../live/status/candle-times.js';
import type { Io } from '../../command-io.js';

export interface DaemonChannelParts {
  readonly config: SluiceConfig;
  readonly bot: Bot;
  readonly starter: StrategyStarter;
  readonly stateDir: string;
  readonly logger: Logger;
  readonly candleTimes: CandleTimes;
  /** Absent: nothing notifies. */
  readonly notify: Pick<NotifyService, 'acknowledge'> | undefined;
}

/** The ways by which an operator reaches a daemon: the socket, and the signal of the kill switch. */
export interface DaemonChannel {
  readonly killSwitch: KillSwitch;
  /** The status of the daemon, at most 100 ms old. */
  status(): StatusReport;
  close(): Promise<void>;
}

export async function openDaemonChannel(parts: DaemonChannelParts, io: Io): Promise<DaemonChannel> {
  const { logger, notify } = parts;
  const killSwitch = new KillSwitch({ ...parts, files: io.files });
  const { pid } = nodeProcessFacts;
  const requests = new OperatorRequests({
    ...{ ...parts, pid, killSwitch },
    clock: io.clock,
    acknowledge: notify && (() => notify.acknowledge()),
  });
  const socket = await openOperatorSocket({
    ...parts,
    ...io,
    answer: (request) => requests.answer(request),
  });
  // The level of an empty file: flatten costs money, and a signal carries no word that asks for it.
  const removeListener = io.onKillSignal?.(() => {
    killSwitch.set({ level: 'cancel' }, 'SIGUSR2').catch((error: unknown) => {
      logger.error({}, `SIGUSR2 set the kill switch, but not for the next start: ${String(error)}`);
    });
  });
  return {
    killSwitch,
    status: () => requests.status(),
    async close() {
      removeListener?.();
      await socket.close();
    },
  };
}
