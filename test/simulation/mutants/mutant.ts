/** A deliberate defect in one declaration of the sources. */
export interface Mutant {
  /** The wrong belief behind the defect, in short. */
  readonly name: string;
  /** The declaration: `Class.member`, a function, a constant or a class. Its file does not matter. */
  readonly in: string;
  /** Code that stands once in declarations of that name; line breaks and trailing commas do not matter. */
  readonly find: string;
  /** The code in its place. */
  readonly replace: string;
  /** Rows of docs/hazards.md that the defect brings back. */
  readonly hazard: string;
  /** The test file that finds it, where the random walks and the swarm do not reach it. */
  readonly scenario?: string;
}
