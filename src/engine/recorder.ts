import type { EngineEvent } from '../core/events.js';
import { recordFromText, recordText } from '../core/record-json.js';
import type { Log } from '../core/ports.js';
import type { OperatorDesk } from './operator/operator-seat.js';

const VERSION = 1;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** First record of a session: what a fresh engine must be built of to meet the same events. */
export interface SessionHeader {
  readonly v: typeof VERSION;
  /** Absolute; what the configuration names by a relative path lies beside it. */
  readonly configPath: string;
  /** The configuration file as it was read. Secrets are never in it. */
  readonly configText: string;
  /** Journal records that stood before this session began; its own follow. */
  readonly journalStart: number;
  /** A session of a person's own, in which no strategy runs; with the symbol that it trades, if any. */
  readonly operator?: { readonly desk?: OperatorDesk };
}

/** Writes every event before the engine sees it. */
export class Recorder {
  readonly #log: Log;

  constructor(log: Log, header: SessionHeader) {
    this.#log = log;
    log.append(encoder.encode(JSON.stringify(header)));
  }

  write(event: EngineEvent): void {
    this.#log.append(encoder.encode(recordText(event)));
  }
}

/** The sessions of a record, oldest first. */
export interface RecordedSession {
  readonly header: SessionHeader;
  readonly events: readonly EngineEvent[];
}

/** @throws RangeError when it is empty or of a version that this one cannot read */
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
