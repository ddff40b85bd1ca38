import type { StrategySwitch } from '../../execution/recovery/recovered-switches.js';
import type { StrategyStatus } from './status-report.js';

/**
 * State of a strategy for its row: a failure comes before a stop, and a stop before a pause.
 * @param ownCause of a host that is not running, if no person has stopped or paused it
 */
export function strategyState(
  host: 'running' | 'stopped' | 'failed',
  { isStopped, isClosing, isPaused, pausedUntil, cause }: StrategySwitch,
  ownCause?: string,
): Pick<StrategyStatus, 'state' | 'cause' | 'paused_until'> {
  const isSwitched = isStopped || isPaused;
  const switched = `${cause}${isClosing ? ', its positions are being closed' : ''}`;
  const own = host === 'running' ? null : (ownCause ?? null);
  const state = host === 'running' && isStopped ? 'stopped' : host;
  return {
    state: state === 'running' && isPaused ? 'paused' : state,
    cause: isSwitched ? switched : own,
    paused_until:
      isPaused && pausedUntil !== undefined ? new Date(pausedUntil).toISOString() : null,
  };
}
