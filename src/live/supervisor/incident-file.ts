import { z } from 'zod';
import type { AppendFile, Clock, Files } from '../../core/ports.js';

/** Folder of a supervisor's own files, in the state folder. */
export const SUPERVISOR_FOLDER = 'supervisor';
/** A line for each action of a supervisor. It never writes to the journal. */
const INCIDENT_FILE = 'incidents.jsonl';

export const supervisorFolderIn = (stateDir: string): string => `${stateDir}/${SUPERVISOR_FOLDER}`;
const incidentPathIn = (stateDir: string): string =>
  `${supervisorFolderIn(stateDir)}/${INCIDENT_FILE}`;

const base = { utc: z.string(), run: z.string() };
const lineSchema = z.discriminatedUnion('kind', [
  z.object({
    ...base,
    kind: z.literal('silent'),
    silent_ms: z.number(),
    pid: z.number().nullable(),
  }),
  z.object({ ...base, kind: z.literal('cancel'), client_order_id: z.string(), symbol: z.string() }),
  z.object({
    ...base,
    kind: z.literal('answer'),
    client_order_id: z.string(),
    symbol: z.string(),
    outcome: z.enum(['acknowledged', 'ended', 'absent', 'refused', 'unknown']),
    text: z.string(),
  }),
  z.object({ ...base, kind: z.literal('over'), reason: z.string() }),
]);

/** `run`: of the heartbeat that fell silent. `utc`: of this machine. */
export type IncidentLine = Readonly<z.infer<typeof lineSchema>>;
type Without<T> = T extends unknown ? Omit<T, 'utc' | 'run'> : never;
export type SupervisorEvent = Without<IncidentLine>;

/** One silence of a daemon, and the orders that a supervisor canceled in it. */
export interface Incident {
  readonly run: string;
  readonly utc: string;
  readonly silentMs: number;
  /** Client order ids. */
  readonly cancels: readonly string[];
}

/** Writes the record of one incident. A line is durable before the request that it announces leaves. */
export class IncidentLog {
  readonly #file: AppendFile;
  readonly #run: string;
  readonly #clock: Pick<Clock, 'utcMs'>;
  readonly #onLine: (line: IncidentLine) => void;

  private constructor(file: AppendFile, run: string, parts: IncidentLogParts) {
    this.#file = file;
    this.#run = run;
    this.#clock = parts.clock;
    this.#onLine = parts.onLine ?? (() => undefined);
  }

  static async open(run: string, parts: IncidentLogParts): Promise<IncidentLog> {
    const file = await parts.files.openAppend(incidentPathIn(parts.stateDir));
    return new IncidentLog(file, run, parts);
  }

  async write(event: SupervisorEvent): Promise<void> {
    const utc = new Date(this.#clock.utcMs()).toISOString();
    const line = { utc, run: this.#run, ...event } as IncidentLine;
    await this.#file.append(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
    await this.#file.sync();
    this.#onLine(line);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

export interface IncidentLogParts {
  readonly files: Pick<Files, 'openAppend'>;
  readonly clock: Pick<Clock, 'utcMs'>;
  readonly stateDir: string;
  readonly onLine?: (line: IncidentLine) => void;
}

/** Every incident in which an order was canceled, the oldest first. A torn last line is left out. */
export async function readIncidents(
  files: Pick<Files, 'read'>,
  stateDir: string,
): Promise<readonly Incident[]> {
  const bytes = await files.read(incidentPathIn(stateDir));
  const lines = bytes === undefined ? [] : new TextDecoder().decode(bytes).split('\n');
  const incidents: { run: string; utc: string; silentMs: number; cancels: string[] }[] = [];
  for (const line of lines.flatMap(parseLine)) {
    if (line.kind === 'silent') {
      incidents.push({ run: line.run, utc: line.utc, silentMs: line.silent_ms, cancels: [] });
    }
    const last = incidents.at(-1);
    if (line.kind !== 'cancel' || last === undefined) continue;
    if (!last.cancels.includes(line.client_order_id)) last.cancels.push(line.client_order_id);
  }
  return incidents.filter(({ cancels }) => cancels.length > 0);
}

function parseLine(text: string): readonly IncidentLine[] {
  try {
    const parsed = lineSchema.safeParse(JSON.parse(text));
    return parsed.success ? [parsed.data] : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

export const incidentText = ({ utc, silentMs, cancels }: Incident): string =>
  `the supervisor canceled ${cancels.length} ${cancels.length === 1 ? 'entry' : 'entries'} of ours at ${utc}, ` +
  `because this state folder had no heartbeat for ${Math.round(silentMs / 1_000)} s`;
