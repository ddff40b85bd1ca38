import { randomBytes, randomUUID } from 'node:crypto';

/** 192 bits from the system, as text that stands in a header. */
export const freshSecret = (): string => randomBytes(24).toString('base64url');

/** Of a sandbox that forgets everything: another start is another venue, whatever its seed. */
export const freshInstanceId = (): string => randomUUID();
