import {
  LocalSocketError,
  type Files,
  type LocalSockets,
  type Scheduler,
} from '../../core/ports.js';
import { OperatorClient, OperatorTimeoutError } from './operator-client.js';
import { OperatorRequestError } from './operator-protocol.js';
import { findSocket } from './socket-location.js';

export interface SignOfLifeParts {
  readonly files: Pick<Files, 'read'>;
  readonly scheduler: Scheduler;
  /** Absent: the system has no such sockets. */
  readonly sockets?: LocalSockets;
}

/** Real ms that a daemon may take to prove that it lives. */
const SIGN_OF_LIFE_MS = 5_000;

/** Whether a daemon of this state folder answers a question now. A hung one accepts the connection only. */
export async function isDaemonAnswering(
  stateDir: string,
  { files, sockets, scheduler }: SignOfLifeParts,
): Promise<boolean> {
  if (sockets === undefined) return false;
  let client: OperatorClient | undefined;
  try {
    client = await OperatorClient.connect(await findSocket(files, stateDir), {
      sockets,
      scheduler,
    });
    if (client === undefined) return false;
    await client.request({ command: 'status' }, SIGN_OF_LIFE_MS);
    return true;
  } catch (error) {
    // A refusal is an answer as well.
    if (error instanceof OperatorRequestError) return true;
    if (error instanceof OperatorTimeoutError || error instanceof LocalSocketError) return false;
    throw error;
  } finally {
    client?.close();
  }
}
