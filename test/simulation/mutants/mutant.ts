/** A small sabotage: `from` stands exactly once in `file`, and `to` takes its place. */
export interface Mutant {
  /** What the saboteur believes, in short. */
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Rows of reliability part 2 that it brings back. */
  readonly hazard: string;
  /** The test file that has to find it, where the walks and the swarm do not ask for it. */
  readonly scenario?: string;
}
