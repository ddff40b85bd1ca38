import { textFromFixed } from '../../../core/fixed/fixed.js';
import { acquireStateLock, type StateLock } from '../../../io/log/state-lock.js';
import { venueProfileText } from '../../../sandbox/behavior/venue-profile.js';
import type { NodeNet } from '../../../io/net/node-net.js';
import { venueUrls } from '../../../venue/futures-api/http/url.js';
import type { AssetDetail } from '../../../venue/futures-api/futures-api.js';
import { compareTask } from './compare-task.js';
import type { ProbeOptions } from './probe-options.js';
import type { Io } from '../../command-io.js';
import { requireTypedPhrase } from '../account/confirmation.js';
import { EXIT } from '../../../core/exit-code.js';
import { SafetyRefusal, StartError } from '../../../core/command-errors.js';
import { leverageAtVenue, listedInstrument } from '../account/leverage-task.js';
import { nodeProcessFacts } from '../../../io/node/process/node-process-facts.js';
import { printJson, printRows } from '../account/print.js';
import { ProbeTrader } from '../../../tools/probe/probe-trader.js';
import {
  answerRow,
  unaskedAssumptions,
  venueProfileOf,
} from '../../../tools/probe/probe-report.js';
import { runProbe, type AnsweredQuestion } from '../../../tools/probe/probe-run.js';
import { ProbeHttpClient } from '../../../tools/probe/probe-http.js';
import { ProbeContext } from '../../../tools/probe/probe-context.js';
import type { Column } from '../../../report/rows-table.js';
import { withAccountConnection, type AccountConnection } from '../account/account-connection.js';
import { readOrThrow, valueOrThrow } from '../../../venue/read-outcome.js';

/** The phrase to type before orders of minimum size are sent. */
const CONFIRM_PHRASE = 'minimum';
const MAX_PAGE = { limit: 500 } as const;

/**
 * Runs `sluice probe`: finds out how a venue behaves where its interface leaves questions open.
 * @returns 0 also when questions stay open: the sandbox keeps its default for them
 */
export const probeCommand = (options: ProbeOptions, io: Io, net?: NodeNet): Promise<number> =>
  withAccountConnection(options, io, (connection) => probe(options, connection, io), net);

async function probe(
  options: ProbeOptions,
  connection: AccountConnection,
  io: Io,
): Promise<number> {
  const { symbol, json, out, compare } = options;
  if (compare !== undefined) return compareTask(options, compare, connection, io);
  await listedInstrument(connection, symbol);
  const { clock, scheduler } = io;
  const { net, wsUrl, baseUrl, secret, currency } = connection;
  const http = new ProbeHttpClient({ net, clock, scheduler, baseUrl, secret });
  const localNowMs = (): number => clock.utcMs();
  const streamUrl = venueUrls(baseUrl, wsUrl).stream;
  const context = new ProbeContext({
    http,
    symbol,
    currency,
    net,
    scheduler,
    streamUrl,
    localNowMs,
  });
  const onAnswered = ({ question, finding }: AnsweredQuestion): void => {
    io.stderr(`${question.id}: ${finding.answer ?? `open: ${finding.evidence}`}\n`);
  };
  let answered: readonly AnsweredQuestion[];
  try {
    answered = options.minSize
      ? await withTrader(options, { connection, context, io }, (trader, isStopped) =>
          runProbe({ context, trader, onAnswered, isStopped }),
        )
      : await runProbe({ context, onAnswered });
  } finally {
    context.close();
  }
  const profile = venueProfileOf(answered, { venue: baseUrl, utcMs: clock.utcMs() });
  if (out !== undefined) {
    await io.files.replace(out, new TextEncoder().encode(venueProfileText(profile)));
    io.stderr(`sluice: the answers are in ${out}: sluice sandbox --profile ${out}\n`);
  }
  const rows = answered.map(answerRow);
  if (json) printJson(io, { answers: rows, not_asked: unaskedAssumptions(answered), profile });
  else {
    await printRows(io, rows, { columns: COLUMNS, none: '' });
    io.stdout(`not asked, defaults apply: ${unaskedAssumptions(answered).join(', ')}\n`);
  }
  return EXIT.done;
}

const COLUMNS: readonly Column[] = [
  { key: 'id' },
  { key: 'answer' },
  { key: 'kept', head: 'open: kept' },
  { key: 'meaning' },
];

interface ProbeSetup {
  readonly connection: AccountConnection;
  readonly context: ProbeContext;
  readonly io: Io;
}

/** Probes with minimum orders after a typed confirmation, on a symbol without orders and position. Closes and cancels everything. */
async function withTrader(
  options: ProbeOptions,
  setup: ProbeSetup,
  run: (trader: ProbeTrader, stopped: () => boolean) => Promise<readonly AnsweredQuestion[]>,
): Promise<readonly AnsweredQuestion[]> {
  const { connection, context, io } = setup;
  const { symbol } = options;
  const asset = await readOrThrow(() => connection.api.asset({ symbol }), symbol);
  await refuseUnlessIdle(symbol, connection);
  const trader = createTrader(asset, context, io);
  for (const line of probeLines(trader, asset, connection)) io.stderr(`${line}\n`);
  await requireTypedPhrase(CONFIRM_PHRASE, io);
  const lock = await lockState(connection, io);
  let isStopped = false;
  const unsubscribe = io.onSignal(() => {
    isStopped = true;
    io.stderr('\nsluice: stopping: the orders and positions of the probe are closed first\n');
  });
  try {
    await ensureLeverage(symbol, connection);
    return await run(trader, () => isStopped).finally(() => cleanUpOrThrow(trader));
  } finally {
    unsubscribe();
    await lock?.release();
  }
}

/** @throws StartError, also after another error of the probe: an order left open can cost money */
async function cleanUpOrThrow(trader: ProbeTrader): Promise<void> {
  const left = await trader.cleanUp().catch((error: unknown) => [`anything (${String(error)})`]);
  if (left.length === 0) return;
  throw new StartError(
    `the probe could not close ${left.join(' and ')}: cancel and close it manually now`,
  );
}

function createTrader(
  { instrument, price }: AssetDetail,
  context: ProbeContext,
  io: Io,
): ProbeTrader {
  if (price === undefined) throw new StartError(`the venue sent no price of ${instrument.symbol}`);
  return new ProbeTrader(context, { instrument, price, idPrefix: io.clock.utcMs().toString(36) });
}

function probeLines(
  trader: ProbeTrader,
  { instrument, price }: AssetDetail,
  { baseUrl, currency }: AccountConnection,
): readonly string[] {
  const { symbol } = instrument;
  return [
    `real orders at ${baseUrl}, ${currency} wallet:`,
    `limit orders of ${trader.units(1)} ${symbol}, 20 % below the market`,
    `positions of ${trader.units(2)} ${symbol} at the market (now ${price === undefined ? 'unknown' : textFromFixed(price)}), opened, reversed and closed again`,
    'about thirty market orders in all: their fees are the cost, and the price may move meanwhile',
    'the minimum leverage is set if none is set; everything else is canceled or closed',
  ];
}

/** The probe could change an open order or position, or mistake it for its own. @throws SafetyRefusal */
async function refuseUnlessIdle(
  symbol: string,
  { api, currency }: AccountConnection,
): Promise<void> {
  const positions = await readOrThrow(() => api.positions(currency, MAX_PAGE), 'open positions');
  const orders = await readOrThrow(() => api.openOrders(currency, MAX_PAGE), 'open orders');
  if (![...positions, ...orders].some((each) => each.symbol === symbol)) return;
  throw new SafetyRefusal(
    `${symbol} has a position or an order open in ${currency}: probe with another --symbol, or when it is idle`,
  );
}

async function ensureLeverage(symbol: string, connection: AccountConnection): Promise<void> {
  if ((await leverageAtVenue(connection, symbol)) !== undefined) return;
  const { minLeverage } = await listedInstrument(connection, symbol);
  valueOrThrow(
    await connection.api.setLeverage({ symbol }, connection.currency, minLeverage),
    'the leverage',
  );
}

/** Locks the state folder, so that no daemon of the account trades meanwhile. */
async function lockState({ config }: AccountConnection, io: Io): Promise<StateLock | undefined> {
  if (config === undefined) return undefined;
  return acquireStateLock(io.files, config.stateDir, nodeProcessFacts);
}
