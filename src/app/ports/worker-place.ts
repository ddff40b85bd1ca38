import { Session } from 'node:inspector';
import { PausedScripts } from '../strategy/hang-place.js';

const MOST_MS = 1_000;

interface Attached {
  readonly params: {
    readonly sessionId: string;
    readonly workerInfo: { readonly url: string };
  };
}
interface Received {
  readonly params: { readonly sessionId: string; readonly message: string };
}

/**
 * Where a worker of this process is that no longer answers: the inspector pauses it, in the middle of a
 * loop too, and lets it go again.
 * @param url that the worker was started with
 * @returns `file:line` of the innermost frame of a strategy; undefined when none is found within a second
 */
export function workerPlace(url: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const scripts = new PausedScripts();
    const session = new Session();
    let of: string | undefined;
    const end = (place?: string): void => {
      clearTimeout(deadline);
      session.disconnect();
      resolve(place);
    };
    const deadline = setTimeout(end, MOST_MS);
    const send = (id: number, method: string): void => {
      const message = JSON.stringify({ id, method });
      session.post('NodeWorker.sendMessageToWorker', { sessionId: of ?? '', message });
    };
    let place: string | undefined;
    session.connect();
    session.on('NodeWorker.attachedToWorker', ({ params }: Attached) => {
      if (params.workerInfo.url !== url) return;
      of = params.sessionId;
      send(ENABLE, 'Debugger.enable');
      send(PAUSE, 'Debugger.pause');
    });
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }: Received) => {
      if (params.sessionId !== of) return;
      const heard = scripts.hear(params.message);
      if (heard.paused) {
        place = heard.place;
        // A thread that stands still in a debugger cannot be ended.
        send(DISABLE, 'Debugger.disable');
      } else if (heard.id === DISABLE) end(place);
    });
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  });
}

const [ENABLE, PAUSE, DISABLE] = [1, 2, 3];
