import { AsyncLocalStorage } from 'node:async_hooks';
import type { HttpRequest, HttpResponse, Net } from '../../../src/core/ports.js';
import type { Outcome } from '../../../src/core/request.js';
import { createNodeNet } from '../../../src/transport/node-net.js';
import {
  createFuturesApi,
  type OpenFuturesApi,
} from '../../../src/venue/futures-api/create-futures-api.js';
import { DEFAULT_LIMITS } from '../../../src/venue/futures-api/limits.js';
import { Secret } from '../../../src/venue/futures-api/secret.js';
import { fail, isFields } from '../expect.js';
import { answerOf } from '../http-driver.js';
import type { Target } from '../target.js';
import type { Answer, Driver, RawRequest } from '../venue.js';
import { Inexpressible } from './asked.js';
import { typedCall, type TypedCall } from './requests.js';
import { sayTheSame } from './sent.js';

/** How many requests went through typed methods, and how many could not. */
export interface ClientCounts {
  typed: number;
  rawOnly: number;
}

export interface ClientDriver extends Driver {
  readonly counts: ClientCounts;
  close(): Promise<void>;
}

/** What the client's network saw of one call. */
interface Seen {
  readonly requests: HttpRequest[];
  readonly responses: HttpResponse[];
}

/** No window is ever full: a case sends what it wants, when it wants. */
const LIFTED = Object.fromEntries(
  Object.keys(DEFAULT_LIMITS.tiers).map((tier) => [
    tier,
    { windows: [{ lengthMs: 1_000, limit: 1_000_000 }], reserve: 0 },
  ]),
) as unknown as typeof DEFAULT_LIMITS.tiers;

/**
 * The same cases through the client library. A request that the types can say is performed by the
 * typed method; the case judges the raw answer that the client saw, and the client's own reading of
 * it is judged here. What the types cannot say goes out raw.
 */
export function createClientDriver(target: Target, plain: Driver): ClientDriver {
  const seenBy = new AsyncLocalStorage<Seen>();
  const net = createNodeNet();
  const api = openApi(target, recording(net, seenBy));
  const counts: ClientCounts = { typed: 0, rawOnly: 0 };
  return {
    counts,
    async call(request) {
      const typed = request.path.startsWith('/sandbox/') ? undefined : expressed(request);
      const seen: Seen = { requests: [], responses: [] };
      const outcome =
        typed === undefined ? undefined : await seenBy.run(seen, () => perform(typed, api));
      if (typed === undefined || outcome === undefined) {
        counts.rawOnly += 1;
        return plain.call(request);
      }
      counts.typed += 1;
      const answer = theOneAnswer(request, seen, outcome);
      judge(typed, outcome, answer);
      return answer;
    },
    async close() {
      await api.close();
      await net.close();
    },
  };
}

function openApi(target: Target, net: Net): OpenFuturesApi {
  const { port } = target.time;
  return createFuturesApi({
    baseUrl: target.baseUrl,
    secret: new Secret(target.secret),
    net,
    clock: port,
    scheduler: port,
    random: { next: () => 0.5 },
    logger: SILENT,
    ...(target.limits ? {} : { limits: { tiers: LIFTED } }),
  });
}

const silence = (): void => undefined;
const SILENT = { debug: silence, info: silence, warn: silence, error: silence };

const recording = (net: Net, seenBy: AsyncLocalStorage<Seen>): Net => ({
  connect: net.connect,
  async request(request) {
    const seen = seenBy.getStore();
    seen?.requests.push(request);
    const response = await net.request(request);
    seen?.responses.push(response);
    return response;
  },
});

function expressed(request: RawRequest): TypedCall | undefined {
  try {
    return typedCall(request);
  } catch (error) {
    if (error instanceof Inexpressible) return undefined;
    throw error;
  }
}

/** undefined: the client refuses to send it. */
async function perform(
  typed: TypedCall,
  api: OpenFuturesApi,
): Promise<Outcome<unknown> | undefined> {
  try {
    return await typed.run(api);
  } catch (error) {
    if (error instanceof Error && error.name === 'AssertionError') return undefined;
    throw error;
  }
}

function theOneAnswer(request: RawRequest, seen: Seen, outcome: Outcome<unknown>): Answer {
  const [sent] = seen.requests;
  const [response] = seen.responses;
  if (sent === undefined || seen.requests.length !== 1) {
    return fail(`one request for ${request.method} ${request.path}`, seen.requests.length);
  }
  sayTheSame(request, sent);
  if (response === undefined) {
    return fail(`the client lost the answer to ${request.method} ${request.path}`, outcome);
  }
  return answerOf(response.status, response.headers, response.body);
}

/** Statuses with which the documents say no. */
const SAYING_NO = [400, 404, 409, 423, 429];

function judge(typed: TypedCall, outcome: Outcome<unknown>, answer: Answer): void {
  const said = `${typed.method} reads ${answer.status} ${answer.text.slice(0, 200)}`;
  const { json } = answer;
  if (answer.status < 300 && isFields(json) && json['success'] !== false) {
    if (outcome.kind !== 'yes') fail(`${said} as yes`, outcome);
    typed.agrees(outcome.value as never, json['data'] ?? null);
    return;
  }
  const wanted = SAYING_NO.includes(answer.status) ? 'no' : 'unknown';
  if (outcome.kind !== wanted) fail(`${said} as ${wanted}`, outcome);
  if (outcome.kind === 'no' && outcome.status !== answer.status) fail(`${said}: status`, outcome);
}
