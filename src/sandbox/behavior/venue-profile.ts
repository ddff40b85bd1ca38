import { z } from 'zod';

/**
 * Findings of a probe about a venue, as a file that makes the sandbox behave like it:
 * `{"version":1,"venue":"https://…","probed_at":"2026-01-05T10:00:00Z",
 *   "assumptions":{"wire-list-cap":"500"},"quirks":["sticky-partial"],"notes":["…"]}`.
 * Assumptions by id, answers as strings. An assumption without a finding is absent and keeps its default.
 */
const profileSchema = z.strictObject({
  version: z.literal(1, { error: 'expected 1' }),
  venue: z.string({ error: 'expected the address of the venue' }),
  probed_at: z.iso.datetime({ error: 'expected a time such as 2026-01-05T10:00:00Z' }),
  assumptions: z.record(z.string(), z.string({ error: 'expected the answer as a text' })),
  quirks: z.array(z.string(), { error: 'expected a list of names' }).default([]),
  notes: z.array(z.string(), { error: 'expected a list of texts' }).default([]),
});

export type VenueProfile = z.output<typeof profileSchema>;

/** The profile is invalid. The message names the place. */
export class VenueProfileError extends Error {
  override readonly name = 'VenueProfileError';
}

/** @throws VenueProfileError */
export function parseVenueProfile(text: string): VenueProfile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new VenueProfileError('a venue profile is a JSON file, and this is not JSON', { cause });
  }
  const parsed = profileSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue === undefined || issue.path.length === 0 ? 'the profile' : issue.path.join('.');
  throw new VenueProfileError(`${at}: ${issue?.message ?? 'unreadable'}`);
}

/** A profile as JSON text for `parseVenueProfile`. */
export const venueProfileText = (profile: VenueProfile): string =>
  `${JSON.stringify(profile, null, 2)}\n`;
