import { textFromFixed } from '../../core/fixed.js';
import { acquireStateLock, type StateLock } from '../../execution/log/state-lock.js';
import { venueProfileText } from '../../sandbox/venue-profile.js';
import type { NodeNet } from '../../transport/node-net.js';
import { venueUrls } from '../../venue/futures-api/url.js';
import type { AssetDetail } from '../../venue/futures-api/futures-api.js';
import type { ProbeOptions } from '../account/account-options.js';
import type { Io } from '../command-options.js';
import { typedWord } from '../account/confirmation.js';
import { EXIT } from '../exit-code.js';
import { SafetyRefusal, StartError } from '../failure.js';
import { leverageAtVenue, listedInstrument } from '../account/leverage-task.js';
import { nodeProcessFacts } from '../ports/process-facts.js';
import { printJson, printRows } from '../account/printing.js';
import { ProbeDesk } from './probe-desk.js';
import { answerRow, notAsked, profileOf } from './probe-report.js';
import { runProbe, type Answered } from './probe-run.js';
import { ProbeWire } from './probe-wire.js';
import { ProbeWorld } from './probe-world.js';
import type { Column } from '../account/rows-table.js';
import { read, valueOf, withVenueAccess, type VenueAccess } from '../account/venue-access.js';

/** The word that a person types before minimum orders are sent. */
const WORD = 'minimum';
const ALL = { limit: 500 } as const;

/**
 * Asks a venue what its interface leaves open, and writes the answers down as a profile.
 * @returns 0 also where questions stay open: they keep the safe assumption
 */
export const probeCommand = (options: ProbeOptions, io: Io, net?: NodeNet): Promise<number> =>
  withVenueAccess(options, io, (access) => probe(options, access, io), net);

async function probe(options: ProbeOptions, access: VenueAccess, io: Io): Promise<number> {
  const { symbol, json, out } = options;
  await listedInstrument(access, symbol);
  const { clock, scheduler } = io;
  const { net, wsUrl, baseUrl, secret, currency } = access;
  const wire = new ProbeWire({ net, clock, scheduler, baseUrl, secret });
  const localNowMs = (): number => clock.utcMs();
  const streamUrl = venueUrls(baseUrl, wsUrl).stream;
  const world = new ProbeWorld({ wire, symbol, currency, net, scheduler, streamUrl, localNowMs });
  const heard = ({ question, finding }: Answered): void => {
    io.stderr(`${question.id}: ${finding.answer ?? `open: ${finding.evidence}`}\n`);
  };
  let answered: readonly Answered[];
  try {
    answered = options.minSize
      ? await withDesk(options, { access, world, io }, (desk, stopped) =>
          runProbe({ world, desk, heard, stopped }),
        )
      : await runProbe({ world, heard });
  } finally {
    world.close();
  }
  const profile = profileOf(answered, { venue: baseUrl, utcMs: clock.utcMs() });
  if (out !== undefined) {
    await io.files.replace(out, new TextEncoder().encode(venueProfileText(profile)));
    io.stderr(`sluice: the answers are in ${out}: sluice sandbox --profile ${out}\n`);
  }
  const rows = answered.map(answerRow);
  if (json) printJson(io, { answers: rows, not_asked: notAsked(answered), profile });
  else {
    await printRows(io, rows, { columns: COLUMNS, none: '' });
    io.stdout(`not asked, kept at their defaults: ${notAsked(answered).join(', ')}\n`);
  }
  return EXIT.done;
}

const COLUMNS: readonly Column[] = [
  { key: 'id' },
  { key: 'answer' },
  { key: 'kept', head: 'open: kept' },
  { key: 'meaning' },
];

interface Deal {
  readonly access: VenueAccess;
  readonly world: ProbeWorld;
  readonly io: Io;
}

/** Minimum orders, after a typed word, on a symbol with nothing open; all of it is taken back. */
async function withDesk(
  options: ProbeOptions,
  deal: Deal,
  run: (desk: ProbeDesk, stopped: () => boolean) => Promise<readonly Answered[]>,
): Promise<readonly Answered[]> {
  const { access, world, io } = deal;
  const { symbol } = options;
  const asset = await read(() => access.api.asset({ symbol }), symbol);
  await refuseUnlessIdle(symbol, access);
  const desk = deskFor(asset, world, io);
  for (const line of planOf(desk, asset, access)) io.stderr(`${line}\n`);
  await typedWord(WORD, io);
  const lock = await lockState(access, io);
  let stopped = false;
  const forget = io.onSignal(() => {
    stopped = true;
    io.stderr('\nsluice: stopping: what the probe made is taken back first\n');
  });
  try {
    await ensureLeverage(symbol, access);
    return await run(desk, () => stopped).finally(() => takeBack(desk));
  } finally {
    forget();
    await lock?.release();
  }
}

/** @throws StartError, whatever the probe itself met: what is left open costs money */
async function takeBack(desk: ProbeDesk): Promise<void> {
  const left = await desk.cleanUp().catch((error: unknown) => [`anything (${String(error)})`]);
  if (left.length === 0) return;
  throw new StartError(`the probe could not take back ${left.join(' and ')}: do it by hand now`);
}

function deskFor({ instrument, price }: AssetDetail, world: ProbeWorld, io: Io): ProbeDesk {
  if (price === undefined) throw new StartError(`the venue tells no price of ${instrument.symbol}`);
  return new ProbeDesk(world, { instrument, price, stamp: io.clock.utcMs().toString(36) });
}

function planOf(
  desk: ProbeDesk,
  { instrument, price }: AssetDetail,
  { baseUrl, currency }: VenueAccess,
): readonly string[] {
  const { symbol } = instrument;
  return [
    `real orders at ${baseUrl}, ${currency} wallet:`,
    `limit orders of ${desk.units(1)} ${symbol}, a fifth below the market`,
    `positions of ${desk.units(2)} ${symbol} at the market (now ${price === undefined ? 'unknown' : textFromFixed(price)}), opened, reversed and closed again`,
    'about thirty market orders in all: their fees are the cost, and the price may move meanwhile',
    'leverage of 1 is set where none is; everything else is taken back',
  ];
}

/** @throws SafetyRefusal: what is open could be touched, or taken for the probe's own */
async function refuseUnlessIdle(symbol: string, { api, currency }: VenueAccess): Promise<void> {
  const positions = await read(() => api.positions(currency, ALL), 'open positions');
  const orders = await read(() => api.openOrders(currency, ALL), 'open orders');
  if (![...positions, ...orders].some((each) => each.symbol === symbol)) return;
  throw new SafetyRefusal(
    `${symbol} has a position or an order open in ${currency}: probe with another --symbol, or when it is idle`,
  );
}

async function ensureLeverage(symbol: string, access: VenueAccess): Promise<void> {
  if ((await leverageAtVenue(access, symbol)) !== undefined) return;
  const { minLeverage } = await listedInstrument(access, symbol);
  valueOf(await access.api.setLeverage({ symbol }, access.currency, minLeverage), 'the leverage');
}

/** No daemon of the same account may trade meanwhile. */
async function lockState({ config }: VenueAccess, io: Io): Promise<StateLock | undefined> {
  if (config === undefined) return undefined;
  return acquireStateLock(io.files, config.stateDir, nodeProcessFacts);
}
