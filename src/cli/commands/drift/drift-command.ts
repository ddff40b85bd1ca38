import { EXIT } from '../../../core/exit-code.js';
import { driftText } from '../../../tools/drift/drift-text.js';
import { measureDrift } from '../../../tools/drift/measure-drift.js';
import type { Io } from '../../command-io.js';
import { withStoredSessions } from '../../stored-sessions.js';
import type { DriftOptions } from './drift-options.js';

/** Compares a recorded session with a backtest of its candles. Sends nothing. */
export const driftCommand = ({ stateDir, json }: DriftOptions, io: Io): Promise<number> =>
  withStoredSessions(stateDir, io, async (found, sessions) => {
    const report = await measureDrift(found, sessions);
    io.stdout(json ? `${JSON.stringify(report)}\n` : driftText(report, io.isTerminal));
    return report.explained && report.identical ? EXIT.done : EXIT.failed;
  });
