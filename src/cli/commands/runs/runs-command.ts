import type { Io } from '../../command-io.js';
import { compareRunsTask } from './compare-task.js';
import { listRuns } from './list-task.js';
import { removeRuns } from './remove-task.js';
import type { RunsOptions } from './runs-options.js';
import { showRun } from './show-run-task.js';

/** Runs `sluice runs`: the backtests of a folder. @returns the exit code */
export function runsCommand(options: RunsOptions, io: Io): Promise<number> {
  switch (options.what) {
    case 'list':
      return listRuns(options, io);
    case 'show':
      return showRun(options, io);
    case 'compare':
      return compareRunsTask(options, io);
    case 'rm':
      return removeRuns(options, io);
  }
}
