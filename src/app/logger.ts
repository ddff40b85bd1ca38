import { pino } from 'pino';
import type { Logger } from '../core/ports.js';
import { oneLine, styled } from '../core/terminal-text.js';
import { secretScrubber } from './secret-scrubber.js';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Where lines go: standard error, never standard output, which belongs to results. */
  readonly write: (text: string) => void;
  /** For people on a terminal; JSON lines otherwise. */
  readonly pretty: boolean;
  readonly colour?: boolean;
  /** Replaced wherever they show up; one that is added later too, from its next line on. */
  readonly secrets?: Iterable<string>;
  /** Stacks of errors too. */
  readonly stacks?: boolean;
}

/** Known places of secrets. The scrubber behind them catches the places that nobody thought of. */
const REDACTED_PATHS = ['secret', 'apiSecret', 'api_secret', 'token', 'password', 'authorization']
  .flatMap((name) => [name, `*.${name}`, `*.*.${name}`])
  .concat(['*["X-Authentication"]', '*["x-authentication"]', 'headers', '*.headers']);

/**
 * Synchronous: a line is out when the call returns, so that a crash loses none. A log line is for
 * people; what must survive goes to the journal.
 */
export async function createLogger(options: LoggerOptions): Promise<Logger> {
  const scrub = secretScrubber(options.secrets ?? []);
  const format = options.pretty ? await prettyFormat(options.colour ?? false) : identity;
  const lines = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
    },
    {
      write: (line) => {
        options.write(scrub(format(line)));
      },
    },
  );
  const plain = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    withPlainErrors(fields, options.stacks ?? false);
  return {
    debug: (fields, message) => {
      if (lines.isLevelEnabled('debug')) lines.debug(plain(fields), message);
    },
    info: (fields, message) => {
      lines.info(plain(fields), message);
    },
    warn: (fields, message) => {
      lines.warn(plain(fields), message);
    },
    error: (fields, message) => {
      lines.error(plain(fields), message);
    },
  };
}

const identity = (line: string): string => line;

/** Loaded only where a person watches: a daemon's JSON lines need none of it. */
async function prettyFormat(colour: boolean): Promise<(line: string) => string> {
  const { default: pretty } = await import('pino-pretty');
  const format = pretty.prettyFactory({
    colorize: colour,
    colorizeObjects: false,
    singleLine: true,
    translateTime: 'HH:MM:ss.l',
    messageFormat: (log, key) => oneLine(String(log[key] ?? '')),
  });
  // The message is on one line and fields are JSON: what escapes are left are the colours.
  return (line) => styled(format(line));
}

/** Causes and own properties of errors are left out: they hold requests, and requests hold secrets. */
function withPlainErrors(
  fields: Readonly<Record<string, unknown>>,
  stacks: boolean,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      value instanceof Error ? plainError(value, stacks) : value,
    ]),
  );
}

function plainError(error: Error, stacks: boolean): Record<string, unknown> {
  return {
    name: error.name,
    message: error.message,
    ...('code' in error ? { code: error.code } : {}),
    ...(stacks ? { stack: error.stack } : {}),
  };
}
