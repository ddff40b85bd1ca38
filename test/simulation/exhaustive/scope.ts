/** How much may go wrong in one history. */
export interface Scope {
  /** Attempts whose fate is chosen. */
  readonly attempts: number;
  /** Fences whose fate is chosen; any other is served as it should be. */
  readonly fences: number;
  /** Lookups whose answer is chosen; then the faults stop. */
  readonly lookups: number;
  readonly crashes: number;
  /** Lookups and reads of history that fail. */
  readonly failures: number;
  /** Crashes and failed reads together. */
  readonly mishaps: number;
  /** Highest lag of a lookup and of the account's lists, in reads. */
  readonly lookupLag: number;
  readonly listLag: number;
  /** Whether lookups by client id may be blind for ever. */
  readonly blind: boolean;
  /** Whether it may trade in parts, be wished away, be shown as it was, and be missing from a list. */
  readonly life: boolean;
}

/** Everything that the tree is ever walked through for: twice the crashes that reliability T2 asks. */
export const FULL_SCOPE: Scope = {
  attempts: 3,
  fences: 1,
  lookups: 4,
  crashes: 2,
  failures: 1,
  mishaps: 2,
  lookupLag: 2,
  listLag: 2,
  blind: true,
  life: false,
};

/** One crash and no failed read: seconds, for every run of the tests. */
export const SHORT_SCOPE: Scope = { ...FULL_SCOPE, crashes: 1, failures: 0, mishaps: 1 };

/** Too large to be enumerated: for walks by chance. */
export const WALK_SCOPE: Scope = {
  ...FULL_SCOPE,
  attempts: 4,
  fences: 3,
  lookups: 12,
  crashes: 3,
  failures: 3,
  mishaps: 5,
  life: true,
};
