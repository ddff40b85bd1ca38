import type { Sandbox } from '../../../src/sandbox/sandbox.js';

export const PLACE_PATH = '/fapi/v2/futures/order';

export const clientOrderIdIn = (body: string): string | undefined =>
  /"client_order_id":"([^"]*)"/.exec(body)?.[1];

/** Which orders have bytes on their way that place them: a late one lands after its sender has died. */
export class UnderWay {
  readonly #changed: () => void;
  readonly #requests = new Map<string, number>();

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  mayLand(clientOrderId: string): boolean {
    return (this.#requests.get(clientOrderId) ?? 0) > 0;
  }

  left(clientOrderId: string | undefined): void {
    this.#count(clientOrderId, 1);
  }

  /** It has landed, or never will. */
  over(clientOrderId: string | undefined): void {
    this.#count(clientOrderId, -1);
  }

  /** The same sandbox, which tells here what has landed there. */
  counting(sandbox: Sandbox): Sandbox {
    const counting = Object.create(sandbox) as Sandbox;
    counting.handle = (request) => {
      const isPlace = request.method === 'POST' && request.path === PLACE_PATH;
      const answer = sandbox.handle(request);
      if (!isPlace) return answer;
      return answer.finally(() => {
        this.over(clientOrderIdIn(request.body));
      });
    };
    return counting;
  }

  #count(clientOrderId: string | undefined, by: number): void {
    if (clientOrderId === undefined) return;
    this.#requests.set(clientOrderId, (this.#requests.get(clientOrderId) ?? 0) + by);
    this.#changed();
  }
}
