import { Session } from 'node:inspector';
import { PauseLocator } from './hang-location.js';

const TIMEOUT_MS = 1_000;

interface AttachedEvent {
  readonly params: {
    readonly sessionId: string;
    readonly workerInfo: { readonly url: string };
  };
}
interface ReceivedEvent {
  readonly params: { readonly sessionId: string; readonly message: string };
}

/**
 * Locates the code of a worker that no longer answers: the inspector pauses it, even within a loop, and
 * resumes it.
 * @param url of the worker's entry
 * @returns `file:line` of the innermost frame of a strategy; undefined when none is found within a second
 */
export function locateHungWorker(url: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const scripts = new PauseLocator();
    const session = new Session();
    let sessionId: string | undefined;
    const end = (location?: string): void => {
      clearTimeout(deadline);
      session.disconnect();
      resolve(location);
    };
    const deadline = setTimeout(end, TIMEOUT_MS);
    const send = (id: number, method: string): void => {
      const message = JSON.stringify({ id, method });
      session.post('NodeWorker.sendMessageToWorker', { sessionId: sessionId ?? '', message });
    };
    let location: string | undefined;
    session.connect();
    session.on('NodeWorker.attachedToWorker', ({ params }: AttachedEvent) => {
      if (params.workerInfo.url !== url) return;
      sessionId = params.sessionId;
      send(ENABLE, 'Debugger.enable');
      send(PAUSE, 'Debugger.pause');
    });
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }: ReceivedEvent) => {
      if (params.sessionId !== sessionId) return;
      const response = scripts.receive(params.message);
      if (response.paused) {
        location = response.location;
        // A thread that is paused in a debugger cannot be terminated.
        send(DISABLE, 'Debugger.disable');
      } else if (response.id === DISABLE) end(location);
    });
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  });
}

const [ENABLE, PAUSE, DISABLE] = [1, 2, 3];
