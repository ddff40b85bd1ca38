export interface DevOptions {
  readonly config: string;
  /** What becomes of the position when the strategy is reloaded. */
  readonly onReload: 'keep' | 'reset';
  readonly durationMs?: number;
  readonly json: boolean;
  readonly debug: boolean;
}
