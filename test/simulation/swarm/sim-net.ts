import {
  TransportError,
  type HttpRequest,
  type HttpResponse,
  type Net,
} from '../../../src/core/ports.js';
import type { Draws } from './draws.js';
import type { ReceivedResponse, Sent } from './watcher.js';
import { clientOrderIdIn, PLACE_PATH } from './in-flight-orders.js';
import type { SimWorld } from './world.js';

/** One in so many requests meets it, where a seed has it. */
const REFUSED = 0.04;
const BROKEN = 0.06;
const STRANGE = 0.25;
const ORIGIN = /^https?:\/\/[^/]+/;

/**
 * The network between a process and the venue: tells of every request, and breaks connections in ways
 * that the venue never sees. A connection refused has sent nothing; one that breaks may have.
 */
export function simNet(world: SimWorld, inner: Net, process: number): Net {
  const draws: Draws = world.plan.draws.of(`wires ${process}`);
  let count = 0;
  return {
    connect: (url, handlers) => inner.connect(url, handlers),
    request(request) {
      count += 1;
      const sent = sentOf(world, request, process);
      world.sent(sent);
      const answer = isControl(sent)
        ? inner.request(request)
        : deliver(world, inner, request, draws, count);
      return answer.then(
        (response) => {
          recordResponse(world, sent, { status: response.status, body: response.body, sent: true });
          return response;
        },
        (error: unknown) => {
          const reached = !(error instanceof TransportError) || error.sent;
          recordResponse(world, sent, { body: String(error), sent: reached });
          throw error;
        },
      );
    },
  };
}

function deliver(
  world: SimWorld,
  inner: Net,
  request: HttpRequest,
  draws: Draws,
  count: number,
): Promise<HttpResponse> {
  if (world.isOn('refused') && draws.chance(REFUSED, 'refused', count)) {
    return world.time
      .sleep(1)
      .then(() => Promise.reject(new TransportError('connection refused', { sent: false })));
  }
  if (world.isKeyRefused) return world.time.sleep(1).then(() => UNAUTHORIZED);
  if (world.isCut && isOrderPath(request)) return loseResponse(world, inner, request);
  const answer = inner.request(request);
  const isChange = request.method === 'POST' || request.method === 'DELETE';
  if (isChange && world.isOn('strange_answer') && draws.chance(STRANGE, 'strange', count)) {
    const strange = draws.pick(STRANGE_RESPONSES, 'which', count);
    return answer.then(({ headers }) => ({ ...strange, headers }));
  }
  if (!world.isOn('broken') || !draws.chance(BROKEN, 'broken', count)) return answer;
  const breaksIn = draws.between(0, 60, 'breaks in', count);
  return Promise.race([
    answer,
    world.time
      .sleep(breaksIn)
      .then(() => Promise.reject(new TransportError('the connection broke', { sent: true }))),
  ]);
}

const isOrderPath = ({ method, url }: HttpRequest): boolean =>
  method === 'POST' && url.includes(PLACE_PATH);

/** No answer comes, whatever becomes of the request. */
async function loseResponse(world: SimWorld, inner: Net, request: HttpRequest): Promise<never> {
  if (world.outage.lands) await inner.request(request);
  await world.time.sleep(LOST_AFTER_MS);
  if (!world.outage.lands) world.onNeverLands(request.body ?? '');
  throw new TransportError('the connection was reset', { sent: true });
}
const LOST_AFTER_MS = 20;

function recordResponse(world: SimWorld, sent: Sent, answer: ReceivedResponse): void {
  sent.response = answer;
  sent.respondedAt = world.time.monotonicMs();
  world.answered(sent);
}

/** What stands between says something of its own of what the venue has carried out (hazards A11, A13, A39). */
const STRANGE_RESPONSES = [
  { status: 400, body: '{"success":false,"errors":[{"code":"busy","text":"try again later"}]}' },
  { status: 200, body: '{"success":true,"data":{}}' },
  { status: 200, body: '{"success":true,"data":null}' },
  { status: 404, body: '<html><body>Not Found</body></html>' },
] as const;

const UNAUTHORIZED: HttpResponse = {
  status: 401,
  headers: { 'content-type': 'application/json' },
  body: '{"success":false,"errors":[{"text":"Unauthorized"}]}',
};

const isControl = ({ path }: Sent): boolean => path.startsWith('/sandbox/');

function sentOf(world: SimWorld, request: HttpRequest, process: number): Sent {
  const { method, url, body = '' } = request;
  const [path = '', query = ''] = url.replace(ORIGIN, '').split('?');
  const isPlace = method === 'POST' && path === PLACE_PATH;
  return {
    sequence: world.requests.length + 1,
    at: world.time.monotonicMs(),
    venueMs: world.sandbox.now(),
    process,
    method,
    path,
    query,
    body,
    isPlace,
    clientOrderId: isPlace ? clientOrderIdIn(body) : /client_order_id=([^&]*)/.exec(query)?.[1],
  };
}
