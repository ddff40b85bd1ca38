// One folder, two PID namespaces: the second is refused, and has the folder at once when the first dies.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from './must.mjs';
import { startDaemon, tail } from './daemon.mjs';

const HELD = 3;
/** From `kill -9` of the first to the second's first order being allowed. */
const AT_ONCE_SECONDS = 15;

/** The first daemon is the host's, the second a container's that has the volume. */
export const hostAndContainer = (scenarioSetup) =>
  twoNamespaces(scenarioSetup, { isFirstContained: false });

/** Both are process 1 of their container; after the kill a process of the host takes over. */
export const collidingNumbers = (scenarioSetup) =>
  twoNamespaces(scenarioSetup, { isFirstContained: true });

async function twoNamespaces(stage, { isFirstContained }) {
  const config = stage.config('state');
  const first = startDaemon({ config, contained: isFirstContained });
  await first.trades();
  const named = ownerOf(stage).pid;
  must(named === (isFirstContained ? 1 : first.pid), `lock names ${named}`);
  await refused(config, named);
  const { length: before } = await stage.orders();
  await stage.untilOrders(before + 2);
  must(first.code === undefined, 'the first daemon ended');
  await first.kill();
  const second = startDaemon({ config, contained: !isFirstContained });
  const seconds = await second.trades();
  must(seconds <= AT_ONCE_SECONDS, `the second traded after ${seconds.toFixed(1)} s`);
  const { length: taken } = await stage.orders();
  await stage.untilOrders(taken + 1);
  await second.kill();
  return { refusals: 1, takeover_s: seconds };
}

/** A second daemon in another namespace, while the first one lives. */
async function refused(config, pid) {
  const second = startDaemon({ config, contained: true });
  const code = await second.ended;
  must(code === HELD, `the second daemon ended with code ${code}: ${tail(second)}`);
  const owner = new RegExp(
    String.raw`^sluice: Process ${pid} on \S+, in another container or on another machine, owns this state \(\S+\)\. Stop it there first, or`,
    'm',
  );
  must(owner.test(second.stderr), `the refusal does not name its owner: ${tail(second)}`);
}

const ownerOf = (scenarioSetup) =>
  JSON.parse(readFileSync(join(scenarioSetup.pathOf('state'), 'lock'), 'utf8'));
