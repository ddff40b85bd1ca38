import type { SluiceConfig } from '../../../config/config.js';
import { StartError, UsageError } from '../../../core/command-errors.js';
import { fixedFromText } from '../../../core/fixed/fixed.js';
import { TransportError } from '../../../core/ports.js';
import { createLogger } from '../../../live/log/logger.js';
import {
  offlineInputs,
  readVenueInputs,
  type OrderInputs,
} from '../../../live/order-check/order-inputs.js';
import {
  createFuturesApi,
  type ClosableFuturesApi,
} from '../../../venue/futures-api/http/create-futures-api.js';
import { Secret } from '../../../venue/futures-api/http/secret.js';
import { VenueError } from '../../../venue/venue.js';
import type { Io } from '../../command-io.js';
import { openVenueNet } from '../../venue-net.js';
import { openVenue } from '../run/open-venue.js';
import type { GivenFacts } from './risk-options.js';

/** @throws StartError when the venue cannot be read, with the options that replace it */
export async function readOrderInputs(
  config: SluiceConfig,
  symbols: readonly string[],
  given: GivenFacts & { readonly debug: boolean },
  io: Io,
): Promise<OrderInputs> {
  const inputs = given.offline
    ? await offlineInputs(config, symbols, io.files)
    : await venueInputs(config, symbols, given.debug, io);
  const prices = Object.entries(given.prices).map(
    ([symbol, price]) => [symbol, fixedFromText<'price'>(price)] as const,
  );
  return {
    ...inputs,
    prices: new Map([...inputs.prices, ...prices]),
    ...(given.equity !== undefined && {
      equity: fixedFromText(given.equity),
      walletTotal: fixedFromText(given.equity),
    }),
  };
}

async function venueInputs(
  config: SluiceConfig,
  symbols: readonly string[],
  debug: boolean,
  io: Io,
): Promise<OrderInputs> {
  const net = openVenueNet(config);
  const venue = await openVenue(config, io);
  let api: ClosableFuturesApi | undefined;
  try {
    const { baseUrl, secret } = venue;
    if (secret === undefined) throw new UsageError(noSecretText(config));
    const { text } = secret;
    const logging = { level: debug ? 'debug' : 'warn', write: io.stderr } as const;
    const logger = await createLogger({
      ...logging,
      ...{ pretty: io.isTerminal, colour: false, secrets: [text], stacks: debug },
    });
    api = createFuturesApi({ ...io, baseUrl, secret: new Secret(text), net, logger });
    const source = venue.sandbox === undefined ? baseUrl : 'a new embedded sandbox';
    return await readVenueInputs(api, config, symbols, source);
  } catch (error) {
    if (!(error instanceof VenueError || error instanceof TransportError)) throw error;
    throw new StartError(
      `the venue ${venue.baseUrl} cannot be read: ${error.message}. Without it: --offline --equity AMOUNT and the prices`,
      { cause: error },
    );
  } finally {
    await api?.close();
    await venue.sandbox?.close();
    await net.close();
  }
}

const noSecretText = ({ locate, mode }: SluiceConfig): string =>
  `${locate(['venue'])} mode: ${mode} without api_secret_file has no account to read: add --offline --equity AMOUNT and the prices`;
