import { z } from 'zod';
import { KILL_LEVELS } from '../state/kill-file.js';

/**
 * The protocol of the operator channel: one JSON object a line, in both directions. A request names the
 * version, its own id and a command; the reply repeats the id.
 */
export const PROTOCOL_VERSION = 1;
/** Characters of a request. A longer line ends the connection. */
export const MAX_REQUEST_LENGTH = 4_096;

const name = z.string().min(1).max(128);
const account = { account: name.optional() };
const reason = { reason: z.string().max(256).optional() };

/** `account`: the daemon refuses a request for another account. */
const request = z.discriminatedUnion('command', [
  z.strictObject({ command: z.literal('status'), ...account }),
  /** Ends the repetition of the raised alerts. */
  z.strictObject({ command: z.literal('acknowledge'), ...account }),
  z.strictObject({ command: z.literal('kill'), level: z.enum(KILL_LEVELS), ...account, ...reason }),
  z.strictObject({
    command: z.literal('pause'),
    /** Venue ms. */
    until: z.int().positive().optional(),
    /** Absent: the whole bot. */
    strategy: name.optional(),
    ...account,
    ...reason,
  }),
  /** Of a symbol, of a strategy, or else of the account. `adopt`: the whole position of the symbol is ours first. */
  z.strictObject({
    command: z.literal('resume'),
    symbol: name.optional(),
    adopt: z.boolean().optional(),
    strategy: name.optional(),
    ...account,
    ...reason,
  }),
  z.strictObject({
    command: z.literal('stop-strategy'),
    strategy: name,
    close: z.boolean(),
    ...account,
    ...reason,
  }),
  /** `reload`: with its `use` and `params` as the configuration file has them now. */
  z.strictObject({
    command: z.literal('start-strategy'),
    strategy: name,
    reload: z.boolean(),
    ...account,
    ...reason,
  }),
  /** Keys below `risk:` with dots, and values as text. */
  z.strictObject({
    command: z.literal('tighten'),
    limits: z.record(name, z.string().max(256)),
    ...account,
    ...reason,
  }),
]);
const COMMANDS: readonly string[] = [
  'status',
  'acknowledge',
  'kill',
  'pause',
  'resume',
  'stop-strategy',
  'start-strategy',
  'tighten',
];

export type OperatorRequest = z.infer<typeof request>;

export type RequestErrorCode =
  | 'bad-json'
  | 'bad-version'
  | 'unknown-command'
  | 'bad-request'
  | 'too-long'
  | 'busy'
  | 'other-account'
  /** For safety. */
  | 'refused'
  | 'stopped'
  | 'failed';

/** A request that the daemon refuses. */
export class OperatorRequestError extends Error {
  override readonly name = 'OperatorRequestError';
  readonly code: RequestErrorCode;
  constructor(code: RequestErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export type RequestId = string | number | null;

/** One line of the daemon. `result` depends on the command. */
export type OperatorReply =
  | { readonly v: number; readonly id: RequestId; readonly ok: true; readonly result: unknown }
  | {
      readonly v: number;
      readonly id: RequestId;
      readonly ok: false;
      readonly error: { readonly code: RequestErrorCode; readonly message: string };
    };

/** A line of a client, read as far as it can be read. */
export interface ParsedRequest {
  readonly id: RequestId;
  readonly request: OperatorRequest | OperatorRequestError;
}

export function parseRequest(line: string): ParsedRequest {
  const data = jsonObject(line);
  if (data === undefined) return faulty(null, 'bad-json', 'a request is one JSON object on a line');
  const { v, id: rawId, ...rest } = data;
  const id = typeof rawId === 'string' || typeof rawId === 'number' ? rawId : null;
  if (v !== PROTOCOL_VERSION) {
    const text = `this daemon speaks version ${PROTOCOL_VERSION} of the protocol ("v": ${PROTOCOL_VERSION})`;
    return faulty(id, 'bad-version', text);
  }
  if (typeof rest['command'] !== 'string' || !COMMANDS.includes(rest['command'])) {
    return faulty(id, 'unknown-command', `the commands are ${COMMANDS.join(', ')}`);
  }
  const parsed = request.safeParse(rest);
  if (parsed.success) return { id, request: parsed.data };
  const issue = parsed.error.issues[0];
  const text = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`.replace(/^: /, '');
  return faulty(id, 'bad-request', text);
}

const faulty = (id: RequestId, code: RequestErrorCode, message: string): ParsedRequest => ({
  id,
  request: new OperatorRequestError(code, message),
});

function jsonObject(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const data: unknown = JSON.parse(line);
    const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
    return isObject ? (data as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

export const requestLine = (id: RequestId, asked: OperatorRequest): string =>
  `${JSON.stringify({ v: PROTOCOL_VERSION, id, ...asked })}\n`;

export const resultLine = (id: RequestId, result: unknown): string =>
  `${JSON.stringify({ v: PROTOCOL_VERSION, id, ok: true, result })}\n`;

export const errorLine = (id: RequestId, { code, message }: OperatorRequestError): string =>
  `${JSON.stringify({ v: PROTOCOL_VERSION, id, ok: false, error: { code, message } })}\n`;

const reply = z.union([
  z.object({
    v: z.number(),
    id: z.union([z.string(), z.number(), z.null()]),
    ok: z.literal(true),
    result: z.unknown(),
  }),
  z.object({
    v: z.number(),
    id: z.union([z.string(), z.number(), z.null()]),
    ok: z.literal(false),
    error: z.object({ code: z.string(), message: z.string() }),
  }),
]);

/** A line of the daemon; undefined: it is none of this protocol. */
export function parseReply(line: string): OperatorReply | undefined {
  const data = jsonObject(line);
  const parsed = reply.safeParse(data);
  return parsed.success ? (parsed.data as OperatorReply) : undefined;
}
