import type { Io } from '../../command-io.js';
import { acceptLimits } from './accept-task.js';
import { explainControl } from './explain-task.js';
import type { RiskOptions } from './risk-options.js';
import { showLimits } from './show-task.js';
import { tightenLimits } from './tighten-task.js';
import { testEntries } from './test-task.js';
import { whatIf } from './what-if-task.js';

/** Runs `sluice risk`. @returns the exit code: 4 where an order is refused */
export function riskCommand(options: RiskOptions, io: Io): Promise<number> {
  switch (options.what) {
    case 'show':
      return showLimits(options, io);
    case 'explain':
      return explainControl(options, io);
    case 'test':
      return testEntries(options, io);
    case 'what-if':
      return whatIf(options, io);
    case 'tighten':
      return tightenLimits(options, io);
    case 'accept':
      return acceptLimits(options, io);
  }
}
