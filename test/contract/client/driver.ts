import { AsyncLocalStorage } from 'node:async_hooks';
import type { HttpRequest, HttpResponse, Net } from '../../../src/core/ports.js';
import type { Outcome } from '../../../src/core/request.js';
import { createNodeNet } from '../../../src/io/net/node-net.js';
import {
  createFuturesApi,
  type ClosableFuturesApi,
} from '../../../src/venue/futures-api/http/create-futures-api.js';
import { DEFAULT_API_LIMITS } from '../../../src/venue/futures-api/http/api-limits.js';
import { Secret } from '../../../src/venue/futures-api/http/secret.js';
import { fail, isFields } from '../expect.js';
import { responseOf } from '../http-driver.js';
import type { Target } from '../target.js';
import type { RawResponse, VenueDriver, RawRequest } from '../venue-under-test.js';
import { UntypedRequest } from './field-reader.js';
import { typedCall, type TypedCall } from './requests.js';
import { expectSameRequest } from './request-comparison.js';

/** Numbers of requests through typed methods, and of raw requests. */
export interface ClientCounts {
  typed: number;
  rawOnly: number;
}

export interface ClientDriver extends VenueDriver {
  readonly counts: ClientCounts;
  close(): Promise<void>;
}

/** The network traffic of one call of the client. */
interface RecordedTraffic {
  readonly requests: HttpRequest[];
  readonly responses: HttpResponse[];
}

/** Limits that no case reaches. */
const LIFTED = Object.fromEntries(
  Object.keys(DEFAULT_API_LIMITS.tiers).map((tier) => [
    tier,
    { windows: [{ lengthMs: 1_000, limit: 1_000_000 }], reserve: 0 },
  ]),
) as unknown as typeof DEFAULT_API_LIMITS.tiers;

/**
 * Runs the cases through the client library. A request that the types can express goes through its typed
 * method: the case checks the raw answer, and this driver checks the value that the client read. Any other
 * request is sent raw.
 */
export function createClientDriver(target: Target, plain: VenueDriver): ClientDriver {
  const trafficOf = new AsyncLocalStorage<RecordedTraffic>();
  const net = createNodeNet();
  const api = openApi(target, recording(net, trafficOf));
  const counts: ClientCounts = { typed: 0, rawOnly: 0 };
  return {
    counts,
    async call(request) {
      const typed = request.path.startsWith('/sandbox/') ? undefined : typedCallOf(request);
      const traffic: RecordedTraffic = { requests: [], responses: [] };
      const outcome =
        typed === undefined ? undefined : await trafficOf.run(traffic, () => perform(typed, api));
      if (typed === undefined || outcome === undefined) {
        counts.rawOnly += 1;
        return plain.call(request);
      }
      counts.typed += 1;
      const answer = theOneAnswer(request, traffic, outcome);
      checkOutcome(typed, outcome, answer);
      return answer;
    },
    async close() {
      await api.close();
      await net.close();
    },
  };
}

function openApi(target: Target, net: Net): ClosableFuturesApi {
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

const recording = (net: Net, trafficOf: AsyncLocalStorage<RecordedTraffic>): Net => ({
  connect: net.connect,
  async request(request) {
    const traffic = trafficOf.getStore();
    traffic?.requests.push(request);
    const response = await net.request(request);
    traffic?.responses.push(response);
    return response;
  },
});

function typedCallOf(request: RawRequest): TypedCall | undefined {
  try {
    return typedCall(request);
  } catch (error) {
    if (error instanceof UntypedRequest) return undefined;
    throw error;
  }
}

/** Undefined if the client refuses to send it. */
async function perform(
  typed: TypedCall,
  api: ClosableFuturesApi,
): Promise<Outcome<unknown> | undefined> {
  try {
    return await typed.run(api);
  } catch (error) {
    if (error instanceof Error && error.name === 'AssertionError') return undefined;
    throw error;
  }
}

function theOneAnswer(
  request: RawRequest,
  traffic: RecordedTraffic,
  outcome: Outcome<unknown>,
): RawResponse {
  const [sent] = traffic.requests;
  const [response] = traffic.responses;
  if (sent === undefined || traffic.requests.length !== 1) {
    return fail(`one request for ${request.method} ${request.path}`, traffic.requests.length);
  }
  expectSameRequest(request, sent);
  if (response === undefined) {
    return fail(`the client lost the answer to ${request.method} ${request.path}`, outcome);
  }
  return responseOf(response.status, response.headers, response.body);
}

/** Statuses of rejections in the documents. */
const REJECTION_KINDS = [400, 404, 409, 423, 429];

function checkOutcome(typed: TypedCall, outcome: Outcome<unknown>, answer: RawResponse): void {
  const description = `${typed.method} reads ${answer.status} ${answer.text.slice(0, 200)}`;
  const { json } = answer;
  if (answer.status < 300 && isFields(json) && json['success'] !== false) {
    if (outcome.kind !== 'yes') fail(`${description} as yes`, outcome);
    typed.agrees(outcome.value as never, json['data'] ?? null);
    return;
  }
  const expectedKind = REJECTION_KINDS.includes(answer.status) ? 'no' : 'unknown';
  if (outcome.kind !== expectedKind) fail(`${description} as ${expectedKind}`, outcome);
  if (outcome.kind === 'no' && outcome.status !== answer.status)
    fail(`${description}: status`, outcome);
}
