import { fail, isFields, type Fields } from './expect.js';
import { JsonNumber, type Json } from './json.js';
import type { ContractStream, VenueUnderTest } from './venue-under-test.js';

const ROUNDS = 1_000;
const POLL_MS = 10;

/** A stream that is open. */
export async function openStreamOrFail(venue: VenueUnderTest): Promise<ContractStream> {
  const handshake = await venue.connect();
  if (handshake.kind === 'refused') return fail('the stream opens', handshake.answer.status);
  return handshake.stream;
}

/** Sends a request and waits for its reply. */
export async function requestReply(
  venue: VenueUnderTest,
  stream: ContractStream,
  message: unknown,
): Promise<Json> {
  stream.send(message);
  return nextFrame(venue, stream, isReply);
}

export const isReply = (frame: Json): boolean => isFields(frame) && 'method' in frame;
export const isPush = (frame: Json): boolean => isFields(frame) && 'stream' in frame;

/** Takes the next frame of a kind; other frames stay queued. */
export async function nextFrame(
  venue: VenueUnderTest,
  stream: ContractStream,
  matches: (frame: Json) => boolean,
): Promise<Json> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const found = stream.takeOne(matches);
    if (found !== undefined) return found;
    await venue.wait(POLL_MS);
  }
  return fail(`a frame within ${(ROUNDS * POLL_MS) / 1_000} s`);
}

/** All frames sent so far: a reply follows all earlier pushes. */
export async function allFrames(
  venue: VenueUnderTest,
  stream: ContractStream,
): Promise<readonly Json[]> {
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
