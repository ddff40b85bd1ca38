/** The meaning of common system errors and their remedy. Other errors keep their own message. */
const MEANING: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free some space',
  EDQUOT: 'the disk quota is used up: free some space',
  EROFS: 'the disk is read-only: mount it for writing',
  EIO: 'the disk does not work (input/output error): check it before anything else',
  EMFILE: 'this process may not open more files: raise its limit (ulimit -n)',
  EACCES: 'this user may not do that there: change the owner or the mode',
};

/** Node's `code` of an error or of its cause. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : codeOf(error.cause);
}

/** `the disk is full: free some space (ENOSPC: no space left on device, write)` */
export function systemText(error: Error): string {
  const meaning = MEANING[codeOf(error) ?? ''];
  return meaning === undefined ? error.message : `${meaning} (${error.message})`;
}
