import type { SluiceConfig } from '../../../config/config.js';
import type { Logger } from '../../../core/ports.js';
import { Expectation } from '../../../live/expectation/expectation.js';
import type { NotifyService } from '../../../live/notify/notify-service.js';
import { readExpectedRun, type ExpectedRun } from '../../../live/expectation/expected-run.js';
import type { Io } from '../../command-io.js';

/** @throws ConfigError for an `expected_run` that cannot be compared */
export async function expectedRunOf(
  { expectedRun, venue, locate }: SluiceConfig,
  { files }: Pick<Io, 'files'>,
): Promise<ExpectedRun | undefined> {
  if (expectedRun === undefined) return undefined;
  const place = locate(['expected_run']);
  return readExpectedRun(expectedRun, { currency: venue.tradeCurrency, place }, files);
}

export async function expectationOf(
  expected: ExpectedRun | undefined,
  parts: {
    readonly config: SluiceConfig;
    readonly stateDir: string;
    readonly logger: Pick<Logger, 'warn'>;
    readonly notify: Pick<NotifyService, 'record'> | undefined;
  },
  { files }: Pick<Io, 'files'>,
): Promise<Expectation | undefined> {
  const { config, stateDir, logger, notify } = parts;
  if (expected === undefined) return undefined;
  const currency = config.venue.tradeCurrency;
  return Expectation.open({
    ...{ expected, currency, stateDir, files },
    onOutside: (text, status) => {
      logger.warn({ expectation: status }, text);
      notify?.record({ kind: 'outside_expected_run', scope: '', text });
    },
  });
}
