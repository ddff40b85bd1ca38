/** Bounds of the faults in one history. */
export interface Scope {
  /** Attempts whose fate is a choice. */
  readonly attempts: number;
  /** Fences whose fate is a choice; any other is served correctly. */
  readonly fences: number;
  /** Lookups with a choice; then the faults stop. */
  readonly lookups: number;
  readonly crashes: number;
  /** Lookups and reads of history that fail. */
  readonly failures: number;
  /** Crashes and failed reads together. */
  readonly totalFaults: number;
  /** Highest lag of a lookup and of the account's lists, in reads. */
  readonly lookupLag: number;
  readonly listLag: number;
  /** Whether lookups by client id may never find anything. */
  readonly blind: boolean;
  /**
   * Whether the order may fill partly, be canceled by the operator, be read late, and be missing
   * from a list.
   */
  readonly extendedBehavior: boolean;
}

/** The full enumeration. */
export const FULL_SCOPE: Scope = {
  attempts: 3,
  fences: 1,
  lookups: 4,
  crashes: 2,
  failures: 1,
  totalFaults: 2,
  lookupLag: 2,
  listLag: 2,
  blind: true,
  extendedBehavior: false,
};

/** One crash and no failed read: a run of seconds, for every test run. */
export const SHORT_SCOPE: Scope = { ...FULL_SCOPE, crashes: 1, failures: 0, totalFaults: 1 };

/** Too large to enumerate: for random walks. */
export const WALK_SCOPE: Scope = {
  ...FULL_SCOPE,
  attempts: 4,
  fences: 3,
  lookups: 12,
  crashes: 3,
  failures: 3,
  totalFaults: 5,
  extendedBehavior: true,
};
