import type { ExitCode } from './exit-code.js';
import { EXIT } from './exit-code.js';

/**
 * An expected end of a command. The message is for people: it states the problem and the remedy, and
 * is printed without a stack trace.
 */
export abstract class CommandFailure extends Error {
  abstract readonly exitCode: ExitCode;
}

/** The command line cannot be parsed, or names something that does not exist. */
export class UsageError extends CommandFailure {
  override readonly name = 'UsageError';
  readonly exitCode = EXIT.usage;
}

/** The environment prevents the command: a port in use, a venue that cannot be reached. */
export class StartError extends CommandFailure {
  override readonly name = 'StartError';
  readonly exitCode = EXIT.failed;
}

/** The command stops because it could lose money otherwise. */
export class SafetyRefusal extends CommandFailure {
  override readonly name = 'SafetyRefusal';
  readonly exitCode = EXIT.refused;
}

/** All problems of a configuration at once, one a line: `file:line:column path: problem`. */
export class ConfigError extends CommandFailure {
  override readonly name = 'ConfigError';
  readonly exitCode = EXIT.usage;
  readonly problems: readonly string[];
  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options);
    this.problems = problems;
  }
}
