/**
 * Makes lib/ of dist/ in this root. `fresh`: with nothing of an earlier build. `now`: ms UTC, against which
 * the age of a chunk is counted; default the wall clock, by which the disk stamps files.
 */
export function bundle(
  root: string,
  options?: { readonly fresh?: boolean; readonly now?: number },
): Promise<void>;
