/** A decision where the interface is silent: a row of docs/assumptions.md. */
export interface AssumptionEntry<Answers, Field extends keyof Answers> {
  readonly id: string;
  readonly field: Field;
  readonly default: Answers[Field];
  readonly other: Answers[Field];
  readonly reason: string;
}

/** An entry of any field, with the two answers of that field. */
export type AssumptionOf<Answers> = {
  [Field in keyof Answers]: AssumptionEntry<Answers, Field>;
}[keyof Answers];
