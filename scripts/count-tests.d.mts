export interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests?: number;
  readonly testResults?: readonly {
    readonly status: string;
    readonly assertionResults: readonly unknown[];
  }[];
}

/** `N passed, N failed`, and skipped where there are. */
export function countTests(report: TestReport): string;
