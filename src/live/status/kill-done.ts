import type { StatusReport } from './status-report.js';

/** Whether everything that a level asks for is proved. The journal alone proves nothing: the venue must have been read. */
export function isKillDone(level: string, report: StatusReport): boolean {
  if (level === 'pause') return true;
  if (isVenueUnread(report)) return false;
  const isQuiet = report.orders.length === 0 && report.unknown === 0;
  if (level === 'cancel') return isQuiet;
  const isFlat = report.positions.every(({ own }) => Number(own) === 0);
  return isQuiet && isFlat && report.flatten?.end !== 'unfinished';
}

/** Without a daemon: the work ended before the account agreed with the venue. */
export const isVenueUnread = ({ running, reconciled }: StatusReport): boolean =>
  !running && reconciled === false;
