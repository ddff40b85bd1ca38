import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { isStrategyCode, placeText } from './code-place.js';

const MOST_MS = 20_000;

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
 * Where a process is that no longer answers: its inspector is asked to pause it, which it does in the
 * middle of a loop too.
 * @param url of the inspector
 * @returns `file:line` of the innermost frame of a strategy; undefined when there is none
 */
export function hangPlace(url: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const scripts = new PausedScripts();
    const socket = new WebSocket(url);
    const end = (place?: string): void => {
      clearTimeout(deadline);
      socket.terminate();
      resolve(place);
    };
    const deadline = setTimeout(end, MOST_MS);
    socket.on('error', () => {
      end();
    });
    socket.on('open', () => {
      ['Debugger.enable', 'Debugger.pause'].forEach((method, id) => {
        socket.send(JSON.stringify({ id, method }));
      });
    });
    socket.on('message', (data: Buffer) => {
      const { paused, place } = scripts.hear(data.toString());
      if (paused) end(place);
    });
  });
}

/** What an inspector says: which scripts there are, and where it has paused. */
export class PausedScripts {
  readonly #files = new Map<string, string>();

  /** @returns the answer's id; whether it has paused, and in which line of a strategy, if in any */
  hear(message: string): {
    readonly id: number | undefined;
    readonly paused: boolean;
    readonly place?: string | undefined;
  } {
    const { id, method, params = {} } = JSON.parse(message) as InspectorMessage;
    if (method === 'Debugger.scriptParsed')
      this.#files.set(params.scriptId ?? '', pathOf(params.url));
    if (method !== 'Debugger.paused') return { id, paused: false };
    return { id, paused: true, place: innermost(params.callFrames ?? [], this.#files) };
  }
}

function innermost(
  frames: NonNullable<NonNullable<InspectorMessage['params']>['callFrames']>,
  files: ReadonlyMap<string, string>,
): string | undefined {
  const places = frames.map(({ location }) => ({
    file: files.get(location.scriptId) ?? '',
    line: location.lineNumber + 1,
  }));
  const found = places.find((place) => place.file.startsWith('/') && isStrategyCode(place));
  return found === undefined ? undefined : placeText(found);
}

const pathOf = (url = ''): string => (url.startsWith('file://') ? fileURLToPath(url) : url);
