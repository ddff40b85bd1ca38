import type { LogPosition } from './log-frame.js';

export interface LogPaths {
  readonly log: string;
  readonly head: string;
}

/** The log is damaged. Nothing was changed. */
export class LogCorruptError extends Error {
  override readonly name = 'LogCorruptError';
  readonly path: string;
  /** Number of the damaged record, from 1, and its byte offset; undefined if it is not one record. */
  readonly record: number | undefined;
  readonly offset: number | undefined;
  constructor(damage: Damage) {
    const where =
      damage.record === undefined ? '' : ` at record ${damage.record}, offset ${damage.offset}`;
    super(
      `${damage.path} is damaged${where}: ${damage.reason}. Nothing was changed. ` +
        `${acknowledgedText(damage)}${adviceFor(damage.paths)}`,
    );
    this.path = damage.path;
    this.record = damage.record;
    this.offset = damage.offset;
  }
}

interface Damage {
  readonly path: string;
  readonly record?: number;
  readonly offset?: number;
  readonly reason: string;
  readonly paths?: LogPaths;
  /** The end of the durable records. */
  readonly position?: Pick<LogPosition, 'count' | 'bytes'>;
}

function acknowledgedText({ record, position }: Damage): string {
  if (position === undefined) return '';
  const whole = record === undefined ? '' : `, of which the first ${record - 1} can be read`;
  return `Durable were ${position.count} records in ${position.bytes} bytes${whole}. `;
}

function adviceFor(paths: LogPaths | undefined): string {
  const both = paths === undefined ? '' : ` (${paths.log}, ${paths.head})`;
  const move =
    paths === undefined ? 'both files' : `both (mv ${paths.log} ${paths.head} ELSEWHERE)`;
  return (
    `Restore the .log and .head files together from a backup${both}; or check positions and open ` +
    `orders at the venue, cancel the open orders, then move ${move} away to begin with an empty log.`
  );
}
