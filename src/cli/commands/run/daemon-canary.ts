import type { SluiceConfig } from '../../../config/config.js';
import type { Logger, Net } from '../../../core/ports.js';
import type { NotifyService } from '../../../live/notify/notify-service.js';
import { readOnlyNet } from '../../../live/observe/read-only-net.js';
import { answerReader } from '../../../tools/probe/canary/answer-reader.js';
import { ANSWERS_FILE, VenueCanary } from '../../../tools/probe/canary/venue-canary.js';
import type { SecretSource } from '../../../venue/futures-api/http/secret.js';
import type { Io } from '../../command-io.js';

export interface DaemonCanaryParts {
  readonly config: SluiceConfig;
  readonly baseUrl: string;
  readonly wsUrl: string;
  /** Absent: there is no key, and no canary. */
  readonly secret: SecretSource | undefined;
  readonly net: Net;
  readonly stateDir: string;
  readonly logger: Logger;
  readonly notify: Pick<NotifyService, 'record'> | undefined;
}

/** Starts the canary of a daemon; undefined where the configuration has none. Its network only reads. */
export function startCanary(
  { config, baseUrl, wsUrl, secret, net, stateDir, logger, notify }: DaemonCanaryParts,
  io: Io,
): VenueCanary | undefined {
  const { canaryEveryMs: everyMs, strategies, venue } = config;
  if (everyMs === undefined || secret === undefined) return undefined;
  const canary = new VenueCanary({
    ...io,
    ...{ logger, everyMs },
    path: `${stateDir}/${ANSWERS_FILE}`,
    read: answerReader({
      ...io,
      ...{ baseUrl, wsUrl, secret, net: readOnlyNet(net), currency: venue.tradeCurrency },
      symbols: [...new Set(strategies.flatMap(({ symbols }) => symbols))],
    }),
    onChanged: (text) => notify?.record({ kind: 'venue_changed', scope: '', text }),
  });
  canary.start();
  return canary;
}
