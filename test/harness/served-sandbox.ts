import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.js';
import { listen, type SandboxServer } from '../../src/sandbox/server.js';
import { nodeClock } from '../../src/app/ports/node-clock.js';
import { nodeScheduler } from '../../src/app/ports/node-scheduler.js';
import { quirky } from './quirks.js';

export interface ServedSandbox {
  readonly sandbox: Sandbox;
  readonly server: SandboxServer;
  close(): Promise<void>;
}

/** A sandbox on a loopback port, a free one by default, and the machine's own time. */
export async function serveSandbox(options: SandboxOptions = {}, port = 0): Promise<ServedSandbox> {
  const sandbox = createSandbox(
    quirky({ startMs: Date.UTC(2025, 4, 5), secret: 'sandbox-secret', ...options }),
    { clock: nodeClock, scheduler: nodeScheduler },
  );
  sandbox.start();
  const server = await listen(sandbox, { port });
  return {
    sandbox,
    server,
    close: async () => {
      sandbox.stop();
      await server.close();
    },
  };
}
