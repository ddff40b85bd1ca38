import { fail } from './expect.js';
import type { Controls, Driver } from './venue.js';

/** The control paths of a sandbox by their names (its docs: Control paths). */
export function controlsOver(driver: Driver): Controls {
  const tell = async (method: 'POST' | 'PUT', path: string, body: unknown): Promise<void> => {
    const answer = await driver.call({ method, path: `/sandbox/${path}`, body });
    if (answer.status !== 200) {
      fail(`/sandbox/${path} ${JSON.stringify(body)}`, `${answer.status} ${answer.text}`);
    }
  };
  return {
    holdPrice: (symbol, price) => tell('POST', 'price', { symbol, price }),
    releasePrice: (symbol) => tell('POST', 'price', { symbol, release: true }),
    fill: (orderId, quantity) => tell('POST', 'fill', { order_id: orderId, quantity }),
    lock: (symbol, locked) => tell('POST', 'lock', { symbol, locked }),
    delist: (symbol, delisting) => tell('POST', 'delist', { symbol, delisting }),
    hedgeRate: (rate) => tell('POST', 'hedge-rate', { rate }),
    faults: (list) => tell('PUT', 'faults', list),
  };
}

/** What was set, so that it can be put back: the venue is left as it was found. */
export class UsedControls {
  readonly #controls: Controls;
  readonly #undo = new Map<string, () => Promise<void>>();

  constructor(controls: Controls) {
    this.#controls = controls;
  }

  get recording(): Controls {
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

  async putBack(): Promise<void> {
    for (const undo of this.#undo.values()) await undo();
    this.#undo.clear();
  }
}
