import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/sandbox.js';
import { listen, type SandboxServer } from '../../../src/sandbox/http/server.js';
import { nodeClock } from '../../../src/io/node/node-clock.js';
import { nodeScheduler } from '../../../src/io/node/node-scheduler.js';
import { applyQuirks } from '../builders/quirks.js';

export interface ServedSandbox {
  readonly sandbox: Sandbox;
  readonly server: SandboxServer;
  close(): Promise<void>;
}

/** A sandbox on a loopback port, a free one by default, and the machine's own time. */
export async function serveSandbox(options: SandboxOptions = {}, port = 0): Promise<ServedSandbox> {
  const sandbox = createSandbox(
    applyQuirks({ startMs: Date.UTC(2025, 4, 5), secret: 'sandbox-secret', ...options }),
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
