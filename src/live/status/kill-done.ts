import type { StatusReport } from './status-report.js';

/**
 * Whether everything that a level asks for is proved. The journal alone proves nothing: the venue must have been read.
 * @param elapsedMs real ms since the command: a position may have changed before a read that is older
 */
export function isKillDone(level: string, report: StatusReport, elapsedMs: number): boolean {
  if (level === 'pause') return true;
  if (isVenueUnread(level, report, elapsedMs)) return false;
  const isQuiet = report.orders.length === 0 && report.unknown === 0;
  if (level === 'cancel') return isQuiet;
  const isFlat = report.positions.every(({ own }) => Number(own) === 0);
  return isQuiet && isFlat && report.flatten?.end !== 'unfinished';
}

/**
 * The open positions are not known from a read since the command. Without a daemon: the work ended before the account
 * agreed with the venue. The end of an order is proved by a read of its own.
 */
export function isVenueUnread(
  level: string,
  { running, reconciled, ages_ms: ages }: StatusReport,
  elapsedMs: number,
): boolean {
  if (!running) return reconciled === false;
  return level === 'flatten' && !((ages?.positions ?? Infinity) < elapsedMs);
}
