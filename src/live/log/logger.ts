import { pino } from 'pino';
import type { Logger, LogLevel } from '../../core/ports.js';
import { oneLine, styled } from '../../core/terminal-text.js';
import { secretScrubber } from './secret-scrubber.js';

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Sink of the lines: standard error, because standard output carries results. */
  readonly write: (text: string) => void;
  /** For people on a terminal; JSON lines otherwise. */
  readonly pretty: boolean;
  readonly colour?: boolean;
  /** Texts replaced wherever they occur. Later additions apply from the next line on. */
  readonly secrets?: Iterable<string>;
  /** Includes stacks of errors. */
  readonly stacks?: boolean;
}

/**
 * Fields that hold secrets, at most three levels deep. The scrubber covers the known secrets in all other
 * places.
 */
const REDACTED_PATHS = ['secret', 'apiSecret', 'api_secret', 'token', 'password', 'authorization']
  .flatMap((name) => [name, `*.${name}`, `*.*.${name}`])
  .concat(['*["X-Authentication"]', '*["x-authentication"]', 'headers', '*.headers']);

/**
 * Synchronous: a line is written when the call returns, so that a crash loses none. Log lines are for people;
 * durable facts go to the journal.
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

/** Loaded only for a terminal: a daemon's JSON lines do not need it. */
async function prettyFormat(colour: boolean): Promise<(line: string) => string> {
  const { default: pretty } = await import('pino-pretty');
  const format = pretty.prettyFactory({
    colorize: colour,
    colorizeObjects: false,
    singleLine: true,
    translateTime: 'HH:MM:ss.l',
    messageFormat: (log, key) => oneLine(String(log[key] ?? '')),
  });
  // The message is one line and fields are JSON, so the only escapes left are colors.
  return (line) => styled(format(line));
}

/** Causes and own properties of errors are omitted: they hold requests, and requests hold secrets. */
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
