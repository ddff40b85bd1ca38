import { randomBytes, randomUUID } from 'node:crypto';

/** 192 random bits of the system, as text that is valid in a header. */
export const freshSecret = (): string => randomBytes(24).toString('base64url');

/** The id of a sandbox instance. A sandbox persists nothing, so every start is another venue. */
export const freshInstanceId = (): string => randomUUID();
