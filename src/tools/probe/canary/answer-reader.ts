import type { Currency } from '../../../core/currency.js';
import type { Clock, Net, Scheduler } from '../../../core/ports.js';
import type { SecretSource } from '../../../venue/futures-api/http/secret.js';
import { venueUrls } from '../../../venue/futures-api/http/url.js';
import { ProbeContext } from '../probe-context.js';
import { ProbeHttpClient } from '../probe-http.js';
import { readVenueAnswers, refuseFailure } from './read-venue-answers.js';
import type { VenueAnswers } from './venue-answers.js';

/** Two requests a second, of the ten that the venue allows (interface: limits). */
const INTERVAL_MS = 500;

export interface AnswerSource {
  readonly net: Net;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly secret: SecretSource;
  readonly currency: Currency;
  readonly symbols: readonly string[];
}

/** A function that reads the answers of a venue, slowly. @throws VenueError, TransportError */
export const answerReader =
  (source: AnswerSource): (() => Promise<VenueAnswers>) =>
  () => {
    const { net, clock, scheduler, baseUrl, wsUrl, secret, currency, symbols } = source;
    const http = new ProbeHttpClient({
      ...{ net, clock, scheduler, baseUrl, secret },
      intervalMs: INTERVAL_MS,
      check: refuseFailure,
    });
    const streamUrl = venueUrls(baseUrl, wsUrl).stream;
    const contextOf = (symbol: string): ProbeContext =>
      new ProbeContext({
        ...{ http, symbol, currency, net, scheduler, streamUrl },
        localNowMs: () => clock.utcMs(),
      });
    return readVenueAnswers({ contextOf, symbols, venue: baseUrl, utcMs: clock.utcMs() });
  };
