import type {
  Clock,
  Files,
  LocalServer,
  LocalSockets,
  Logger,
  Scheduler,
} from '../../core/ports.js';
import { OperatorServer, type OperatorServerParts } from './operator-server.js';
import { publishSocket, socketPathIn } from './socket-location.js';

export interface OperatorSocketParts extends OperatorServerParts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly files: Files;
  /** Absent: this process offers no operator channel. */
  readonly sockets?: LocalSockets;
  readonly stateDir: string;
  readonly logger: Logger;
}

/**
 * Opens the operator channel of a daemon that holds its state folder. A socket that cannot be opened is a
 * warning: the bot trades, and the file `KILL` still stops it.
 */
export async function openOperatorSocket(
  parts: OperatorSocketParts,
): Promise<Pick<LocalServer, 'close'>> {
  const { sockets, files, stateDir, logger } = parts;
  if (sockets === undefined) return { close: () => Promise.resolve() };
  const server = new OperatorServer(parts);
  try {
    const listening = await sockets.listen(socketPathIn(stateDir), (connection) =>
      server.accept(connection),
    );
    await publishSocket(files, stateDir, listening.path);
    return {
      close: async () => {
        await listening.close();
        await publishSocket(files, stateDir, undefined);
      },
    };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    logger.warn(
      {},
      `sluice status and sluice kill cannot reach this run: ${text}. The file ${stateDir}/KILL still stops it`,
    );
    return { close: () => Promise.resolve() };
  }
}
