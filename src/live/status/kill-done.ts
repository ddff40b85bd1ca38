import type { StatusReport } from './status-report.js';

/** Whether everything that a level asks for is proved. */
export function isKillDone(level: string, report: StatusReport): boolean {
  if (level === 'pause') return true;
  const isQuiet = report.orders.length === 0 && report.unknown === 0;
  if (level === 'cancel') return isQuiet;
  const isFlat = report.positions.every(({ own }) => Number(own) === 0);
  return isQuiet && isFlat && report.flatten?.end !== 'unfinished';
}
