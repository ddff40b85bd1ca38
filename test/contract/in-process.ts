import { createSandbox, type SandboxOptions } from '../../src/sandbox/sandbox.js';
import { listen } from '../../src/sandbox/http/server.js';
import { VirtualTime } from '../support/fakes/virtual-time.js';
import type { Target } from './target.js';

const START_MS = Date.UTC(2025, 4, 5, 0, 30);
const SECRET = 'contract-secret';
/** Real milliseconds for frames to arrive. */
const ARRIVAL_MS = 2;

/**
 * A sandbox on loopback sockets with two manual clocks. An hour of rate windows, or the 40 s of an idle
 * connection, takes no real time, and load on the machine cannot break a case.
 */
export async function serveTarget(options: SandboxOptions = {}): Promise<Target> {
  const time = new VirtualTime(START_MS);
  const sandbox = createSandbox(
    { clock: { kind: 'manual' }, startMs: START_MS, secret: SECRET, limits: false, ...options },
    { clock: time, scheduler: time },
  );
  sandbox.start();
  const server = await listen(sandbox, { port: 0 });
  const arrival = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, ARRIVAL_MS));
  return {
    baseUrl: server.baseUrl,
    wsUrl: server.wsUrl,
    secret: sandbox.secret,
    controls: true,
    limits: options.limits ?? false,
    clock: 'manual',
    time: {
      async wait(ms) {
        await time.run(ms);
        await arrival();
      },
      monotonicMs: () => time.monotonicMs(),
      port: time,
    },
    async close() {
      sandbox.stop();
      await server.close();
    },
  };
}
