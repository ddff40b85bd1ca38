import { fail } from './expect.js';
import type { Controls, VenueDriver } from './venue-under-test.js';

/** The control paths of a sandbox by name (docs/sandbox.md: control paths). */
export function sandboxControls(driver: VenueDriver): Controls {
  const sendControl = async (
    method: 'POST' | 'PUT',
    path: string,
    body: unknown,
  ): Promise<void> => {
    const answer = await driver.call({ method, path: `/sandbox/${path}`, body });
    if (answer.status !== 200) {
      fail(`/sandbox/${path} ${JSON.stringify(body)}`, `${answer.status} ${answer.text}`);
    }
  };
  return {
    holdPrice: (symbol, price) => sendControl('POST', 'price', { symbol, price }),
    releasePrice: (symbol) => sendControl('POST', 'price', { symbol, release: true }),
    fill: (orderId, quantity) => sendControl('POST', 'fill', { order_id: orderId, quantity }),
    lock: (symbol, locked) => sendControl('POST', 'lock', { symbol, locked }),
    delist: (symbol, delisting) => sendControl('POST', 'delist', { symbol, delisting }),
    hedgeRate: (rate) => sendControl('POST', 'hedge-rate', { rate }),
    faults: (list) => sendControl('PUT', 'faults', list),
  };
}

/** The changed settings, so that the venue can be restored. */
export class RevertibleControls {
  readonly #controls: Controls;
  readonly #undo = new Map<string, () => Promise<void>>();

  constructor(controls: Controls) {
    this.#controls = controls;
  }

  get recorded(): Controls {
    const { lock, delist, hedgeRate, faults } = this.#controls;
    const undo = this.#undo;
    return {
      ...this.#controls,
      async lock(symbol, locked) {
        undo.set(`lock ${symbol}`, () => lock(symbol, false));
        await lock(symbol, locked);
      },
      async delist(symbol, delisting) {
        undo.set(`delist ${symbol}`, () => delist(symbol, false));
        await delist(symbol, delisting);
      },
      async hedgeRate(rate) {
        undo.set('hedge rate', () => hedgeRate('90'));
        await hedgeRate(rate);
      },
      async faults(list) {
        undo.set('faults', () => faults([]));
        await faults(list);
      },
    };
  }

  async revert(): Promise<void> {
    for (const undo of this.#undo.values()) await undo();
    this.#undo.clear();
  }
}
