import { fail, isFields, type Fields } from './expect.js';
import { JsonNumber, type Json } from './json.js';
import type { Stream, Venue } from './venue.js';

const ROUNDS = 1_000;
const POLL_MS = 10;

/** A stream that is open. */
export async function openLive(venue: Venue): Promise<Stream> {
  const handshake = await venue.connect();
  if (handshake.kind === 'refused') return fail('the stream opens', handshake.answer.status);
  return handshake.stream;
}

/** Sends, and waits for the one reply. */
export async function ask(venue: Venue, stream: Stream, message: unknown): Promise<Json> {
  stream.send(message);
  return nextFrame(venue, stream, isReply);
}

export const isReply = (frame: Json): boolean => isFields(frame) && 'method' in frame;
export const isPush = (frame: Json): boolean => isFields(frame) && 'stream' in frame;

/** The next frame of a kind; the others stay. */
export async function nextFrame(
  venue: Venue,
  stream: Stream,
  fits: (frame: Json) => boolean,
): Promise<Json> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const found = stream.takeOne(fits);
    if (found !== undefined) return found;
    await venue.wait(POLL_MS);
  }
  return fail(`a frame within ${(ROUNDS * POLL_MS) / 1_000} s`);
}

/** Everything that the venue has sent by now: a reply comes after whatever was pushed before it. */
export async function allFrames(venue: Venue, stream: Stream): Promise<readonly Json[]> {
  const id = 987_654;
  stream.send({ id, method: 'LIST_SUBSCRIPTIONS' });
  const isBarrier = (frame: Json): boolean =>
    isFields(frame) && frame['id'] instanceof JsonNumber && frame['id'].text === String(id);
  await nextFrame(venue, stream, isBarrier);
  return stream.take();
}

/** `data` of the pushes of a stream, in order. */
export const pushesOf = (frames: readonly Json[], name: string): readonly Json[] =>
  frames
    .filter((frame): frame is Fields => isFields(frame) && frame['stream'] === name)
    .map((frame) => frame['data'] ?? null);
