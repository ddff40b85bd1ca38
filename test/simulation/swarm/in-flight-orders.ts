import type { Sandbox } from '../../../src/sandbox/sandbox.js';

export const PLACE_PATH = '/fapi/v2/futures/order';

/** The only text of this status is that the client order id already exists. */
const CONFLICT = 409;

export const clientOrderIdIn = (body: string): string | undefined =>
  /"client_order_id":"([^"]*)"/.exec(body)?.[1];

/** Which orders have bytes on their way that place them: a late one lands after its sender has died. */
export class InFlightOrders {
  readonly #onChange: () => void;
  readonly #requests = new Map<string, number>();
  /** Ids of which the venue says that they are taken: by an order, or by a refusal that burned them. */
  readonly #taken = new Set<string>();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The venue accepts an id once, for all time: bytes on their way under a taken one make no order. */
  mayLand(clientOrderId: string): boolean {
    return (this.#requests.get(clientOrderId) ?? 0) > 0 && !this.#taken.has(clientOrderId);
  }

  onSent(clientOrderId: string | undefined): void {
    this.#count(clientOrderId, 1);
  }

  /** It has landed, or never will. */
  onResolved(clientOrderId: string | undefined): void {
    this.#count(clientOrderId, -1);
  }

  /** The same sandbox, which tells here what has landed there. */
  trackedSandbox(sandbox: Sandbox): Sandbox {
    const trackedSandbox = Object.create(sandbox) as Sandbox;
    trackedSandbox.handle = (request) => {
      const isPlace = request.method === 'POST' && request.path === PLACE_PATH;
      const answer = sandbox.handle(request);
      if (!isPlace) return answer;
      const clientOrderId = clientOrderIdIn(request.body);
      void answer.then((reply) => {
        const isTaken = reply !== 'reset' && reply.status === CONFLICT;
        if (isTaken && clientOrderId !== undefined) this.#taken.add(clientOrderId);
      });
      return answer.finally(() => {
        this.onResolved(clientOrderId);
      });
    };
    return trackedSandbox;
  }

  #count(clientOrderId: string | undefined, by: number): void {
    if (clientOrderId === undefined) return;
    this.#requests.set(clientOrderId, (this.#requests.get(clientOrderId) ?? 0) + by);
    this.#onChange();
  }
}
