export interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests?: number;
  readonly testResults?: readonly {
    readonly status: string;
    readonly assertionResults: readonly unknown[];
  }[];
}

/** `N passed, N failed`, and skipped where there are, of all reports together. */
export function countTests(...reports: readonly TestReport[]): string;
