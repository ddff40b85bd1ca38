import { AssertionError } from '../core/assert.js';
import { FileLockError, TransportError } from '../core/ports.js';
import { LogWriteError } from '../execution/log/framed-log.js';
import { JournalRecordError } from '../execution/journal/journal-record.js';
import { LogCorruptError } from '../execution/log/log-contents.js';
import { StateHeldError } from '../execution/log/state-lock.js';
import { CandleFileError } from '../market/candle-csv.js';
import { SandboxOptionError } from '../sandbox/sandbox-clock.js';
import { PortInUseError } from '../sandbox/port-in-use-error.js';
import { StrategyLoadError } from '../strategy/loader/load-error.js';
import { StrategyParamsError } from '../strategy/params.js';
import { VenueUrlError } from '../venue/futures-api/url.js';
import { VenueError } from '../venue/venue.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { CommandFailure } from './failure.js';
import { systemText } from './system-error.js';

export interface FailureReport {
  readonly exitCode: ExitCode;
  /** What a person reads, newline included. */
  readonly text: string;
}

/**
 * What ended a command, as one message and one exit code. Stacks only when asked for: an operator
 * needs to know what to do, not where we noticed.
 */
export function reportFailure(error: unknown, debug: boolean): FailureReport {
  const { exitCode, message } = explain(error);
  const stack = debug && error instanceof Error ? `${stackText(error)}\n` : '';
  return { exitCode, text: `sluice: ${message}\n${stack}` };
}

function explain(error: unknown): { readonly exitCode: ExitCode; readonly message: string } {
  if (error instanceof CommandFailure) return { exitCode: error.exitCode, message: error.message };
  if (isInputError(error)) return { exitCode: EXIT.usage, message: error.message };
  if (error instanceof FileLockError) return { exitCode: EXIT.refused, message: error.message };
  if (error instanceof StateHeldError) return { exitCode: EXIT.held, message: error.message };
  if (error instanceof LogCorruptError) {
    return { exitCode: EXIT.refused, message: `the journal cannot be trusted: ${error.message}` };
  }
  if (error instanceof JournalRecordError) {
    return { exitCode: EXIT.refused, message: `${error.message}. ${RECORD_ADVICE}` };
  }
  if (error instanceof LogWriteError) return { exitCode: EXIT.failed, message: unwritten(error) };
  if (error instanceof PortInUseError) return { exitCode: EXIT.failed, message: error.message };
  if (error instanceof VenueError) {
    return { exitCode: EXIT.failed, message: `the venue: ${withCause(error)}` };
  }
  if (error instanceof TransportError) {
    return { exitCode: EXIT.failed, message: `the network: ${withCause(error)}` };
  }
  if (error instanceof AssertionError)
    return { exitCode: EXIT.failed, message: brokenPromise(error) };
  if (error instanceof Error && 'code' in error && 'syscall' in error) {
    return { exitCode: EXIT.failed, message: `the system: ${systemText(error)}` };
  }
  return { exitCode: EXIT.failed, message: `unexpected: ${textOf(error)}${HINT}` };
}

/** The caller named something that cannot be used; the message says what. */
const isInputError = (error: unknown): error is Error =>
  [StrategyLoadError, StrategyParamsError, SandboxOptionError, VenueUrlError, CandleFileError].some(
    (type) => error instanceof type,
  );

const RECORD_ADVICE =
  'Nothing was changed: run the version of Sluice that wrote the journal, or restore it from a backup';

/** Nothing that waited for the journal was sent, so that the next start finds all of it. */
const unwritten = (error: LogWriteError): string =>
  `the journal cannot be written: ${systemText(error)}. Nothing was sent that it does not hold; ` +
  'mend that, then start again with the same state_dir: it reconciles with the venue first';

const HINT = ' (SLUICE_DEBUG=1 shows where)';

const brokenPromise = (error: AssertionError): string =>
  `stopped, because a state that cannot be was seen: ${error.message}. ` +
  `This is a fault of sluice; the next start reconciles with the venue${HINT}`;

const withCause = (error: Error): string =>
  error.cause instanceof Error && !error.message.includes(error.cause.message)
    ? `${error.message}: ${error.cause.message}`
    : error.message;

const textOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${withCause(error)}` : String(error);

function stackText(error: Error): string {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? `${own}\ncaused by ${stackText(error.cause)}` : own;
}
