import { ReplayFolderError } from '../market/synthetic/replay-files.js';
import { AssertionError } from '../core/assert.js';
import { FileLockError, TransportError } from '../core/ports.js';
import { LogWriteError } from '../io/log/log-write-error.js';
import { JournalRecordError } from '../execution/journal/journal-record-error.js';
import { LogCorruptError } from '../io/log/log-corrupt-error.js';
import { StateHeldError } from '../io/log/state-held-error.js';
import { CandleFileError } from '../market/candles/candle-csv.js';
import { SandboxOptionError } from '../sandbox/sandbox-clock.js';
import { PortInUseError } from '../sandbox/http/port-in-use-error.js';
import { StrategyLoadError } from '../strategy/loader/load-error.js';
import { StrategyParamsError } from '../strategy/contract/params-error.js';
import { VenueUrlError } from '../venue/futures-api/http/url.js';
import { VenueError } from '../venue/venue.js';
import { EXIT, type ExitCode } from '../core/exit-code.js';
import { CommandFailure } from '../core/command-errors.js';
import { systemText } from '../core/system-error.js';

export interface FailureReport {
  readonly exitCode: ExitCode;
  /** One message, ending with a newline. */
  readonly text: string;
}

/**
 * Reports the failure of a command as one message and one exit code. Prints stacks in debug mode only:
 * an operator needs the remedy, not the place in the code.
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
  if (error instanceof LogWriteError)
    return { exitCode: EXIT.failed, message: journalWriteText(error) };
  if (error instanceof PortInUseError) return { exitCode: EXIT.failed, message: error.message };
  if (error instanceof VenueError) {
    return { exitCode: EXIT.failed, message: `the venue: ${withCause(error)}` };
  }
  if (error instanceof TransportError) {
    return { exitCode: EXIT.failed, message: `the network: ${withCause(error)}` };
  }
  if (error instanceof AssertionError)
    return { exitCode: EXIT.failed, message: assertionText(error) };
  if (error instanceof Error && 'code' in error && 'syscall' in error) {
    return { exitCode: EXIT.failed, message: `the system: ${systemText(error)}` };
  }
  return { exitCode: EXIT.failed, message: `unexpected: ${textOf(error)}${HINT}` };
}

/** Errors in what the user passed: the message names the input. */
const isInputError = (error: unknown): error is Error =>
  [
    StrategyLoadError,
    StrategyParamsError,
    SandboxOptionError,
    ReplayFolderError,
    VenueUrlError,
    CandleFileError,
  ].some((type) => error instanceof type);

const RECORD_ADVICE =
  'Nothing was changed: run the version of Sluice that wrote the journal, or restore it from a backup';

/** Requests leave only after their record is written, so the next start finds every one of them. */
const journalWriteText = (error: LogWriteError): string =>
  `the journal cannot be written: ${systemText(error)}. Nothing was sent that it does not hold; ` +
  'fix the cause, then start again with the same state_dir: it reconciles with the venue first';

const HINT = ' (SLUICE_DEBUG=1 shows where)';

const assertionText = (error: AssertionError): string =>
  `stopped, because an impossible state was seen: ${error.message}. ` +
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
