import type { EngineEvent } from '../core/events.js';
import { recordFromText, recordText } from '../core/record-json.js';
import type { AppendLog } from '../core/ports.js';
import type { ManualSymbol } from './operator/manual-trading.js';

const VERSION = 1;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** First record of a session: the inputs from which a replay builds the same engine. */
export interface SessionHeader {
  readonly v: typeof VERSION;
  /** Absolute path; relative paths in the configuration start from its folder. */
  readonly configPath: string;
  /** Text of the configuration file. It never holds secrets. */
  readonly configText: string;
  /** Number of journal records before this session; its own records follow. */
  readonly journalStart: number;
  /** Version of the program that ran; absent: unknown. */
  readonly program?: string;
  /** An operator's session, in which no strategy runs; `desk` is the symbol that it trades, if any. */
  readonly operator?: { readonly desk?: ManualSymbol };
}

/** Writes every event before the engine handles it. */
export class Recorder {
  readonly #log: AppendLog;

  constructor(log: AppendLog, header: SessionHeader) {
    this.#log = log;
    log.append(encoder.encode(JSON.stringify(header)));
  }

  write(event: EngineEvent): void {
    this.#log.append(encoder.encode(recordText(event)));
  }
}

/** One recorded session: its header and its events, oldest first. */
export interface RecordedSession {
  readonly header: SessionHeader;
  readonly events: readonly EngineEvent[];
}

/** @throws RangeError when it is empty or has an unsupported version */
export function readSession(records: readonly Uint8Array[]): RecordedSession {
  const [first, ...rest] = records;
  if (first === undefined) throw new RangeError('the record is empty');
  const header = JSON.parse(decoder.decode(first)) as SessionHeader;
  if (header.v !== VERSION) {
    throw new RangeError(`a record of version ${String(header.v)}; this version reads ${VERSION}`);
  }
  return {
    header,
    events: rest.map((bytes) => recordFromText(decoder.decode(bytes)) as EngineEvent),
  };
}
