/** Makes lib/ of dist/ in this root. `fresh`: with nothing of an earlier build. */
export function bundle(root: string, options?: { readonly fresh?: boolean }): Promise<void>;
