import { StartError } from '../../../core/command-errors.js';
import type { Logger } from '../../../core/ports.js';
import { codeOf } from '../../../core/system-error.js';
import type { SluiceConfig } from '../../../config/config.js';
import { servePage, type PageServer } from '../../../io/node/loopback-server.js';
import { openProcessUsage } from '../../../io/node/process/process-usage.js';
import type { Bot } from '../../../live/bot/bot.js';
import type { BotPorts } from '../../../live/bot/bot-options.js';
import { JOURNAL } from '../../../live/state/state-folder.js';
import type { NotifyService } from '../../../live/notify/notify-service.js';
import type { HeartbeatWriter } from '../../../live/supervisor/heartbeat.js';
import type { NodeNet } from '../../../io/net/node-net.js';
import type { Io } from '../../command-io.js';
import type { DaemonChannel } from './daemon-channel.js';
import { EXPOSITION_TYPE, expositionText } from '../../../metrics/exposition.js';
import type { DaemonMeters } from '../../../metrics/meters.js';
import { metricFamilies } from '../../../metrics/metric-table.js';

const PATH = '/metrics';

export type MetricsPage = Pick<PageServer, 'close'>;

/** The net and the files of a daemon, measured where metrics are served. */
export const measuredPorts = (
  meters: DaemonMeters | undefined,
  net: NodeNet,
  { files }: Pick<Io, 'files'>,
): Pick<BotPorts, 'net' | 'files'> =>
  meters === undefined
    ? { net, files }
    : {
        net: meters.requests.measured(net),
        files: meters.journal.measured(files, `/${JOURNAL}.log`),
      };

export interface MetricsPageParts {
  readonly config: SluiceConfig;
  readonly bot: Bot;
  /** Absent: metrics are off. */
  readonly meters: DaemonMeters | undefined;
  readonly logger: Logger;
  readonly channel: Pick<DaemonChannel, 'status'>;
  readonly heartbeat: Pick<HeartbeatWriter, 'candle'>;
  /** Absent: the configuration has no `notify:`. */
  readonly notify: Pick<NotifyService, 'sent'> | undefined;
}

/** Serves the metrics of a daemon where the configuration asks for it. @throws StartError: the port is taken */
export async function openMetricsPage(
  { config, bot, meters, logger, channel, heartbeat, notify }: MetricsPageParts,
  { version = 'unknown', clock }: Pick<Io, 'version' | 'clock'>,
): Promise<MetricsPage | undefined> {
  if (config.metrics === undefined || meters === undefined) return undefined;
  const { host, port } = config.metrics;
  const usage = openProcessUsage();
  const startedAtSeconds = clock.utcMs() / 1_000;
  const page = (): string =>
    expositionText(
      metricFamilies({
        ...meters,
        version,
        report: channel.status(),
        totals: bot.engine.counts,
        candle: heartbeat.candle,
        usage: usage.read(),
        notices: notify?.sent,
        startedAtSeconds,
      }),
    );
  try {
    const server = await servePage({ host, port, path: PATH, contentType: EXPOSITION_TYPE, page });
    logger.info({ url: `http://${host}:${server.port}${PATH}` }, 'metrics are served');
    return {
      close: () => {
        usage.close();
        return server.close();
      },
    };
  } catch (cause) {
    usage.close();
    throw new StartError(portText(config, cause), { cause });
  }
}

function portText({ metrics, locate }: SluiceConfig, cause: unknown): string {
  const where = `${locate(['metrics'])} ${metrics?.host}:${metrics?.port}`;
  if (codeOf(cause) === 'EADDRINUSE')
    return `${where} is in use by another program: name another port`;
  return `${where} cannot be served: ${String(cause)}`;
}
