export interface Patch {
  readonly file: string;
  /** Stands once in the file. */
  readonly from: string;
  readonly to: string;
}

export function patchOf(
  mutant: {
    readonly name: string;
    readonly in: string;
    readonly find: string;
    readonly replace: string;
  },
  sources: ReadonlyMap<string, string>,
): Patch;
