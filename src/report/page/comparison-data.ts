/** The JSON block of a page that compares runs. Times are s UTC. */
export interface ComparisonPage {
  readonly version: 1;
  readonly kind: 'comparison';
  readonly runs: readonly ComparedRun[];
  /** The inputs that differ; a value is '' where the run does not have it. */
  readonly inputs: readonly ComparedInput[];
  readonly results: readonly ComparedFigure[];
  /** Facts that limit the comparison, most important first. */
  readonly notes: readonly string[];
  /** One sentence for each curve that the page holds thinned. */
  readonly thinned: readonly string[];
}

export interface ComparedRun {
  /** A to F. */
  readonly letter: string;
  readonly name: string;
  readonly hash: string;
  readonly title: string;
  readonly symbols: readonly string[];
  readonly interval: string;
  /** ISO 8601 in UTC. */
  readonly from: string;
  readonly to: string;
  readonly days: number;
  readonly currency: string;
  readonly cash: number;
  readonly repeat: string;
  /** Address of the run's own report, relative to this page; null: there is none. */
  readonly report: string | null;
  readonly times: readonly number[];
  /** Equity, where the cash of the run is 100. */
  readonly index: readonly number[];
  /** Per cent below the running peak, at most 0. */
  readonly drawdown: readonly number[];
}

export interface ComparedInput {
  /** With dots below the first level. */
  readonly key: string;
  readonly values: readonly string[];
}

export interface ComparedFigure {
  /** As in `result.json`. */
  readonly key: string;
  readonly values: readonly (string | number | null)[];
  readonly differs: boolean;
  /** Indexes of the runs with the best value. */
  readonly best: readonly number[];
}
