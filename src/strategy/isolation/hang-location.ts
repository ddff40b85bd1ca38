import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { isStrategyCode, stackLocationText } from './stack-location.js';

const TIMEOUT_MS = 20_000;

interface InspectorMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly scriptId?: string;
    readonly url?: string;
    readonly callFrames?: readonly {
      readonly location: { readonly scriptId: string; readonly lineNumber: number };
    }[];
  };
}

/**
 * Locates the code of a process that no longer answers: its inspector pauses it, even within a loop.
 * @param url of the inspector
 * @returns `file:line` of the innermost frame of a strategy; undefined when there is none
 */
export function locateHang(url: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const scripts = new PauseLocator();
    const socket = new WebSocket(url);
    const finish = (location?: string): void => {
      clearTimeout(deadline);
      socket.terminate();
      resolve(location);
    };
    const deadline = setTimeout(finish, TIMEOUT_MS);
    socket.on('error', () => {
      finish();
    });
    socket.on('open', () => {
      ['Debugger.enable', 'Debugger.pause'].forEach((method, id) => {
        socket.send(JSON.stringify({ id, method }));
      });
    });
    socket.on('message', (data: Buffer) => {
      const { paused, location } = scripts.receive(data.toString());
      if (paused) finish(location);
    });
  });
}

/** Reads an inspector's messages: its scripts, and where it has paused. */
export class PauseLocator {
  readonly #files = new Map<string, string>();

  /** @returns the reply's id; whether the code has paused, and the line of a strategy, if any */
  receive(message: string): {
    readonly id: number | undefined;
    readonly paused: boolean;
    readonly location?: string | undefined;
  } {
    const { id, method, params = {} } = JSON.parse(message) as InspectorMessage;
    if (method === 'Debugger.scriptParsed')
      this.#files.set(params.scriptId ?? '', pathOf(params.url));
    if (method !== 'Debugger.paused') return { id, paused: false };
    return {
      id,
      paused: true,
      location: innermostStrategyLocation(params.callFrames ?? [], this.#files),
    };
  }
}

function innermostStrategyLocation(
  frames: NonNullable<NonNullable<InspectorMessage['params']>['callFrames']>,
  files: ReadonlyMap<string, string>,
): string | undefined {
  const locations = frames.map(({ location }) => ({
    file: files.get(location.scriptId) ?? '',
    line: location.lineNumber + 1,
  }));
  const found = locations.find((place) => place.file.startsWith('/') && isStrategyCode(place));
  return found === undefined ? undefined : stackLocationText(found);
}

const pathOf = (url = ''): string => (url.startsWith('file://') ? fileURLToPath(url) : url);
