export interface ParamsIssue {
  /** Names and indices from the params down: `['fast']`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Parameters do not fit the strategy's schema. A config reader finds the line of each of `issues`. */
export class StrategyParamsError extends Error {
  override readonly name = 'StrategyParamsError';
  readonly strategy: string;
  readonly issues: readonly ParamsIssue[];

  constructor(strategy: string, issues: readonly ParamsIssue[]) {
    const lines = issues.map(({ path, message }) => `  ${path.join('.') || 'params'}: ${message}`);
    super(`Parameters of ${strategy}:\n${lines.join('\n')}`);
    this.strategy = strategy;
    this.issues = issues;
  }
}
