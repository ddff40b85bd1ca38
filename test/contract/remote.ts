import { createHttpDriver } from './http-driver.js';
import { decimalOf, isFields } from './expect.js';
import type { Target } from './target.js';
import type { VenueDriver } from './venue-under-test.js';

export interface RemoteOptions {
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly secret: string;
  readonly limits: boolean;
}

/** An external venue. A sandbox is recognised by its control paths. */
export async function remoteTarget(options: RemoteOptions): Promise<Target> {
  const driver = createHttpDriver(options);
  try {
    const { json, status } = await driver.call({ method: 'GET', path: '/sandbox/clock' });
    const controls = status === 200 && isFields(json) && 'now_ms' in json;
    const rate = controls ? decimalOf(json, 'rate').toNumber() : 1;
    return {
      ...options,
      controls,
      clock: rate === 0 ? 'manual' : rate,
      time: machineTime,
      close: () => Promise.resolve(),
    };
  } finally {
    await driver.close();
  }
}

const machineTime: Target['time'] = {
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  monotonicMs: () => performance.now(),
  port: {
    monotonicMs: () => performance.now(),
    utcMs: () => Date.now(),
    after(delayMs, run) {
      const timer = setTimeout(run, Math.max(0, delayMs));
      return () => {
        clearTimeout(timer);
      };
    },
  },
};

const V1 = '/fapi/v1/futures';

/** Open orders and positions of the account, which the cases would cancel and close. */
export async function openThings(plain: VenueDriver): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of ['orders', 'positions']) {
    for (const currency of ['USDT', 'INR']) {
      const query = { trade_currency: currency };
      const { json } = await plain.call({ method: 'GET', path: `${V1}/${path}`, query });
      const data = isFields(json) ? json['data'] : undefined;
      if (Array.isArray(data) && data.length > 0)
        found.push(`${data.length} ${path} in ${currency}`);
    }
  }
  return found;
}
