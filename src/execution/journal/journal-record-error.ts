/** The bytes of a frame are not a record that this version reads. */
export class JournalRecordError extends Error {
  override readonly name = 'JournalRecordError';
}
