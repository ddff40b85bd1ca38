export interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests?: number;
  readonly testResults?: readonly {
    readonly status: string;
    readonly assertionResults: readonly {
      readonly status?: string;
      readonly fullName?: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** `N passed, N failed`, and skipped where there are, of all reports together. */
export function countTests(...reports: readonly TestReport[]): string;

/** The names of tests that failed at first and passed at their second attempt. */
export function retriedTests(...reports: readonly TestReport[]): string[];
