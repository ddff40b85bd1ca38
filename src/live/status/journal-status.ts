import type { JournalRecord } from '../../execution/journal/journal-record.js';
import { amendedTermsOf } from '../../execution/operation/order-amender.js';
import { isEndState } from '../../execution/order/order-state.js';
import { recover, type Recovery } from '../../execution/recovery/recovery.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import { pendingCommandText, type PendingCommand } from '../state/pending-commands.js';
import { killFileIn, type KillSetting } from '../state/kill-file.js';
import type { StrategySwitch } from '../../execution/recovery/recovered-switches.js';
import { unprovedRow } from '../summary/unproved-orders.js';
import { strategyState } from './strategy-state.js';
import { journaledPosition } from './journaled-position.js';
import { orderStatus } from './order-status.js';
import { accountCauses, restrictionStatus, symbolStatuses } from './restriction-status.js';
import type { PositionStatus, StatusReport } from './status-report.js';

export interface JournalStatusInputs {
  /** Absent: the folder has no journal yet. */
  readonly records: readonly JournalRecord[];
  readonly stateDir: string;
  readonly kill: KillSetting | undefined;
  /** Commands that wait for the next start. */
  readonly pending: readonly PendingCommand[];
}

/**
 * The status of a state folder without its daemon, from the journal alone. The venue may have changed since: its
 * values are null, and an order that was under way counts as unknown until the next start proves it.
 */
export function journalStatus({
  records,
  stateDir,
  kill,
  pending,
}: JournalStatusInputs): StatusReport {
  const [header] = records;
  const account = header?.type === 'header' ? header.account : undefined;
  const recovery = recover(records, account ?? '');
  const open = recovery.orders
    .filter(({ state }) => !isEndState(state))
    .map((order, key) => amended(order.create(key), recovery));
  const unproved = open.filter(isUnknown).map((order) => unprovedRow(order, 0));
  return {
    running: false,
    pid: null,
    account: account ?? null,
    run_mode: null,
    state_dir: stateDir,
    mode: 'STOPPED',
    causes: ['no daemon runs on this state folder', ...accountCauses(recovery.restrictions)],
    symbols: symbolStatuses(recovery.restrictions),
    restrictions: recovery.restrictions.map(restrictionStatus),
    kill:
      kill === undefined
        ? null
        : {
            level: kill.level,
            until: kill.until === undefined ? null : new Date(kill.until).toISOString(),
            file: killFileIn(stateDir),
          },
    flatten:
      recovery.flatten === undefined
        ? null
        : {
            end: 'unfinished',
            positions: openPositions(recovery).length,
            orders: open.length,
          },
    positions: openPositions(recovery),
    orders: open.map(orderStatus),
    unknown: unproved.length,
    unproved,
    reconciled: null,
    key_refused: null,
    currency: null,
    equity: null,
    venue_time: recovery.until === undefined ? null : new Date(recovery.until).toISOString(),
    ages_ms: null,
    strategies: [...recovery.switches].map(([id, found]) => switchedStrategy(id, found, recovery)),
    profit: null,
    profit_source: null,
    expectation: null,
    limits: [],
    tightened: [],
    pending_commands: pending.map(pendingCommandText),
  };
}

/** With the terms of its last proved amendment. */
function amended(order: OwnOrder, { operations }: Recovery): OwnOrder {
  const plan = operations.amended.get(order.clientOrderId);
  if (plan !== undefined) order.applyAmendment(amendedTermsOf(order, plan));
  return order;
}

const openPositions = ({ positions }: Recovery): readonly PositionStatus[] =>
  positions.filter(({ quantity }) => quantity !== 0).map(journaledPosition);

/** The journal names only strategies that a person has stopped or paused. */
function switchedStrategy(
  id: string,
  found: StrategySwitch,
  { until = 0 }: Recovery,
): StatusReport['strategies'][number] {
  const { pausedUntil = Number.POSITIVE_INFINITY } = found;
  const now = { ...found, isPaused: found.isPaused && until < pausedUntil };
  return {
    id,
    ...strategyState(now.isStopped ? 'stopped' : 'running', now),
    symbols: [],
    held: [],
    interval: null,
    last_candle: null,
    last_candle_age_ms: null,
    unrealised_pnl: null,
    intents: 0,
    refused: 0,
    errors: 0,
  };
}

/** An order that was sent when the process ended has no reply in the journal. */
const isUnknown = (order: OwnOrder): boolean => order.unproved || order.state === 'sent';
