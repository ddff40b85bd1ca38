import type { HttpRequest, HttpResponse } from '../../../src/core/ports.js';
import {
  createFuturesApi,
  type FuturesApiOptions,
  type ClosableFuturesApi,
} from '../../../src/venue/futures-api/http/create-futures-api.js';
import { Secret } from '../../../src/venue/futures-api/http/secret.js';
import { constantRandom, memoryLogger, ManualTime } from '../fakes/manual-ports.js';

export const CANARY = 'canary-8c1f';

export type FakeReply = Partial<HttpResponse> | Error;

/** A client before a venue that gives one answer. */
export function apiAnsweredBy(
  answer: FakeReply | ((request: HttpRequest) => FakeReply),
  options: Partial<FuturesApiOptions> = {},
) {
  const sent: HttpRequest[] = [];
  const time = new ManualTime();
  const logger = memoryLogger();
  const api: ClosableFuturesApi = createFuturesApi({
    baseUrl: 'https://api.example.com',
    secret: new Secret(CANARY),
    clock: time,
    scheduler: time,
    random: constantRandom(0),
    logger,
    net: {
      request(request) {
        sent.push(request);
        const given = typeof answer === 'function' ? answer(request) : answer;
        if (given instanceof Error) return Promise.reject(given);
        return Promise.resolve({ status: 200, headers: {}, body: '', ...given });
      },
      connect: () => {
        throw new Error('no stream here');
      },
    },
    ...options,
  });
  return { api, sent, time, logger };
}

export const success = (data: unknown): string => JSON.stringify({ success: true, data });
export const failure = (text: string, code: number | null = null): string =>
  JSON.stringify({ success: false, errors: [{ code, text }] });
