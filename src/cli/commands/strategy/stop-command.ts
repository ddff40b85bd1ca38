import {
  fixedFromText,
  multiply,
  subtract,
  textFromFixed,
  type Fixed,
} from '../../../core/fixed/fixed.js';
import { EXIT } from '../../../core/exit-code.js';
import type { OperatorClient } from '../../../live/operator/operator-client.js';
import type { PositionStatus, StatusReport } from '../../../live/status/status-report.js';
import type { Io } from '../../command-io.js';
import { ask, type OperatorTarget } from '../../operator-target.js';
import type { StopStrategyOptions } from './control-options.js';
import {
  leaveToNextStart,
  repeatUntil,
  requireConfiguredStrategy,
  rowOf,
  withBot,
} from './strategy-target.js';

/** Stops one strategy until a start of it. @returns 0 when its entries, and with `close` its positions, are gone */
export const stopStrategyCommand = (options: StopStrategyOptions, io: Io): Promise<number> =>
  withBot(options, io, (target, client) =>
    client === undefined ? stopAtNextStart(options, target, io) : stopNow(options, client, io),
  );

async function stopAtNextStart(
  { strategy, close, reason, json }: StopStrategyOptions,
  target: OperatorTarget,
  io: Io,
): Promise<number> {
  await requireConfiguredStrategy(strategy, target, io);
  const command = { kind: 'stop-strategy', strategy, close, reason } as const;
  const report = await leaveToNextStart(target, command, io);
  const closes = close ? ' and closes its positions' : '';
  if (json) io.stdout(`${JSON.stringify(report)}\n`);
  else io.stdout(`no daemon runs: the next start stops ${strategy}${closes}\n`);
  return EXIT.done;
}

async function stopNow(
  { strategy, close, reason, timeoutMs, json }: StopStrategyOptions,
  client: OperatorClient,
  io: Io,
): Promise<number> {
  const before = rowOf(await ask(client, { command: 'status' }), strategy);
  let report = await ask(client, { command: 'stop-strategy', strategy, close, reason });
  const isDone = (status: StatusReport): boolean =>
    entriesOf(status, strategy).length === 0 && (!close || left(status, strategy).length === 0);
  if (!isDone(report))
    report = await repeatUntil(() => ask(client, { command: 'status' }), isDone, timeoutMs, io);
  const done = isDone(report);
  const positions = left(report, strategy);
  const entries = entriesOf(report, strategy);
  if (json) {
    io.stdout(
      `${JSON.stringify({ ...report, strategy, done, left: positions.map(leftRow), entries })}\n`,
    );
    return done ? EXIT.done : EXIT.failed;
  }
  const already = before?.state === 'stopped' ? 'was stopped already' : 'is stopped';
  const lines = [
    `${strategy} ${already}; \`sluice strategy start ${strategy}\` starts it again`,
    ...(positions.length === 0
      ? ['no position of it is open']
      : positions.map((position) => leftText(position, strategy, close))),
    ...entries.map((id) => `its entry ${id} is not canceled yet: \`sluice status\` shows it`),
    ...(close && positions.length > 0
      ? ['not closed yet; the daemon goes on until it is: `sluice status` shows it']
      : []),
  ];
  io.stdout(`${lines.join('\n')}\n`);
  return done ? EXIT.done : EXIT.failed;
}

const entriesOf = ({ orders }: StatusReport, strategy: string): readonly string[] =>
  orders
    .filter((order) => order.strategy === strategy && !order.reduce_only)
    .map((order) => order.client_order_id);

/** One strategy owns each symbol, so our share of its symbols is its position. */
function left(report: StatusReport, strategy: string): readonly PositionStatus[] {
  const symbols = rowOf(report, strategy)?.symbols ?? [];
  return report.positions.filter(
    ({ symbol, own }) => symbols.includes(symbol) && Number(own) !== 0,
  );
}

/** Loss if the stop fills at its price, USDT before fees; below 0: a profit. null: no stop or entry price is known. */
function lossAtStop({ own, entry_price: entry, stop_loss: stop }: PositionStatus): string | null {
  if (entry === null || stop === null) return null;
  const fixed = (text: string): Fixed<'price'> => fixedFromText(text);
  return textFromFixed(multiply<'USDT'>(fixed(own), subtract(fixed(entry), fixed(stop))));
}

const leftRow = (position: PositionStatus) => ({
  symbol: position.symbol,
  own: position.own,
  stop_loss: position.stop_loss,
  take_profit: position.take_profit,
  loss_at_stop: lossAtStop(position),
});

function leftText(position: PositionStatus, strategy: string, close: boolean): string {
  const { symbol, own, stop_loss: stop } = position;
  if (close) return `${symbol}: position ${own} is open, its stop is ${stop ?? 'not known'}`;
  const loss = lossAtStop(position);
  const stays = `${symbol}: position ${own} stays`;
  if (stop === null)
    return `${stays}, and no stop of it is known at the venue: \`sluice strategy stop ${strategy} --close\` closes it`;
  const text = loss === null ? 'not known' : `${loss} USDT before fees`;
  return `${stays}, its stop is at ${stop}, loss at the stop: ${text}`;
}
