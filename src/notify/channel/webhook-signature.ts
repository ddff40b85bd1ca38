import { createHmac } from 'node:crypto';

/** Prefix of a secret in base64 (Standard Webhooks); any other text is used byte for byte. */
const BASE64_PREFIX = 'whsec_';

/**
 * The headers that authenticate a webhook, as Standard Webhooks defines them: HMAC-SHA256 of
 * `id.timestamp.body`, in base64, with its version.
 *
 * @param utcMs time of the attempt; the receiver refuses old ones
 */
export function webhookHeaders(
  id: string,
  utcMs: number,
  body: string,
  secret: string,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(utcMs / 1_000));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${webhookSignature(id, timestamp, body, secret)}`,
  };
}

export const webhookSignature = (
  id: string,
  timestamp: string,
  body: string,
  secret: string,
): string =>
  createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');

const keyOf = (secret: string): Buffer =>
  secret.startsWith(BASE64_PREFIX)
    ? Buffer.from(secret.slice(BASE64_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8');
