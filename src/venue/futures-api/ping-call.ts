import { z } from 'zod';
import type { Outcome } from '../../core/request.js';
import { readJson, type JsonValue } from './lossless-json.js';
import { outcomeOf } from './outcome.js';
import type { Requester } from './requester.js';
import type { RestUrls } from './url.js';
import { nothingRead } from './wire-value.js';

/** Whether the secret is accepted. The only answer without an envelope (supplement, part 3a). */
export async function ping(requester: Requester, urls: RestUrls): Promise<Outcome<null>> {
  const result = await requester.call('ping', { url: urls.futures(['ping']) });
  if (result.kind === 'lost') return { kind: 'unknown', cause: result.cause, sent: result.sent };
  const { response } = result;
  if (response.status === 200 && isPong(response.body)) return { kind: 'yes', value: null };
  return requester.plain(outcomeOf('ping', response, nothingRead));
}

const pong = z.object({ text: z.literal('pong') });

/** {"code":200,"text":"pong"} */
function isPong(body: string): boolean {
  let value: JsonValue;
  try {
    value = readJson(body);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
  return pong.safeParse(value).success;
}
