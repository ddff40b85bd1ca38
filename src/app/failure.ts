import type { ExitCode } from './exit-code.js';
import { EXIT } from './exit-code.js';

/**
 * A command ends here with one sentence for a person. The message says what is wrong and what to do;
 * it is shown without a stack.
 */
export abstract class CommandFailure extends Error {
  abstract readonly exitCode: ExitCode;
}

/** The command line cannot be understood or asks for what is not there. */
export class UsageError extends CommandFailure {
  override readonly name = 'UsageError';
  readonly exitCode = EXIT.usage;
}

/** Something outside (a port in use, a venue that cannot be reached) keeps the command from its work. */
export class StartError extends CommandFailure {
  override readonly name = 'StartError';
  readonly exitCode = EXIT.failed;
}

/** Going on could lose money, so the command does not. */
export class SafetyRefusal extends CommandFailure {
  override readonly name = 'SafetyRefusal';
  readonly exitCode = EXIT.refused;
}

/** All problems of a configuration at once, each a line `file:line:column path: what`. */
export class ConfigError extends CommandFailure {
  override readonly name = 'ConfigError';
  readonly exitCode = EXIT.usage;
  readonly problems: readonly string[];
  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options);
    this.problems = problems;
  }
}
