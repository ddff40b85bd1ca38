/** @returns path → text of every source, test and benchmark */
export function readSources(): ReadonlyMap<string, string>;
