/** The state of a bot that alerts are decided on. Plain data; texts are for a person. */
export interface AlertFacts {
  readonly restrictions: readonly RestrictionFact[];
  readonly isKeyRefused: boolean;
  /** Reason of the engine's halt; undefined: it is not halted. */
  readonly haltReason: string | undefined;
  /** undefined: the kill switch is off. */
  readonly killLevel: string | undefined;
  /** Positions and orders that a flatten still has to close; undefined: no flatten is in progress. */
  readonly flattenLeft: string | undefined;
  readonly unproved: readonly UnprovedFact[];
  /** Positions of ours without their required stop, as two reads agree. */
  readonly unprotected: readonly PositionFact[];
  readonly feeds: readonly FeedFact[];
  readonly failedStrategies: readonly FailedStrategyFact[];
}

export interface RestrictionFact {
  readonly control: string;
  /** undefined: the account. */
  readonly symbol: string | undefined;
  readonly isLatched: boolean;
  readonly text: string;
}

export interface UnprovedFact {
  readonly symbol: string;
  readonly text: string;
  /** Real ms since it became unproved. */
  readonly forMs: number;
}

/** One position of ours. Quantities and prices are decimals; undefined: not known. */
export interface PositionFact {
  readonly symbol: string;
  /** Signed. */
  readonly quantity: string;
  readonly stop: string | undefined;
  /** USDT lost from the entry when the stop fills at its price; negative: a gain. */
  readonly lossAtStop: string | undefined;
}

export interface FeedFact {
  readonly symbol: string;
  /** Real ms since the last price; undefined: none since the start. */
  readonly ageMs: number | undefined;
  /** Signed quantity of our position; undefined: flat. */
  readonly quantity: string | undefined;
  /** Price of the stop that the venue's last list of positions has; undefined: none. */
  readonly stop: string | undefined;
}

export interface FailedStrategyFact {
  readonly id: string;
  readonly error: string;
  readonly positions: readonly PositionFact[];
}
