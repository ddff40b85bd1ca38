import type { Currency } from '../core/currency.js';
import type { Stamp } from '../core/events.js';
import type { Quantity, Ratio } from '../core/fixed.js';
import { namespaceOf } from '../core/ids.js';
import type { Instrument } from '../core/instrument.js';
import type { Interval } from '../core/interval.js';
import { Desk } from '../execution/desk.js';
import type { EffectSink } from '../execution/effects.js';
import { Journal } from '../execution/journal/journal.js';
import { Lanes } from '../execution/lanes.js';
import { OrderLedger } from '../execution/order/order-ledger.js';
import { OrderProtocol } from '../execution/order/order-protocol.js';
import { PositionBook } from '../execution/position-book.js';
import type { Recovery } from '../execution/recovery/recovery.js';
import type { Gate } from '../risk/gate.js';
import { roomOf } from '../risk/room.js';
import type { StrategyHost } from '../strategy/host/host.js';
import { AbsentTargets } from './absent-targets.js';
import { AccountExposure } from './account-exposure.js';
import { AccountView } from './account-view.js';
import { Beginning } from './beginning.js';
import { RunCounts } from './counts.js';
import { submitExit } from './engine-exit.js';
import { EngineFacts } from './gate-facts.js';
import { CandleRouter } from './market/candle-router.js';
import { PriceBook } from './market/price-book.js';
import { SeriesBook } from './market/series-book.js';
import { StreamRouter } from './market/stream-router.js';
import { Operations } from './operations.js';
import { Operator } from './operator/operator.js';
import { OrderIntake } from './order-intake.js';
import { orderNews } from './order-news.js';
import { ForeignBook } from './reconciliation/foreign-book.js';
import { Reconciliation } from './reconciliation/reconciliation.js';
import { seated, type SeatWorldParts, type StrategySeat } from './seat-world.js';
import { Standing } from './standing.js';
import { SymbolHalts } from './symbol-halts.js';
import { UnreadableSymbols } from './unreadable-symbols.js';
import { LeverageBook } from './watch/leverage-book.js';
import { LeverageWatch } from './watch/leverage-watch.js';

export interface EngineOptions {
  /** Names the journal; part of every client order id. */
  readonly account: string;
  readonly currency: Currency;
  /** Interval of the candles that arrive. */
  readonly base: Interval;
  readonly seats: readonly StrategySeat[];
  readonly gate: Gate;
  readonly effects: EffectSink;
  /** Whether the id of an order that never landed may be used up by a harmless one. Default: no. */
  readonly fences?: boolean;
  /** INR per USDT. */
  readonly hedgeRate?: Ratio;
  /** What an earlier life left in the journal. */
  readonly recovered?: Recovery;
  /** A session of a person's own: it leaves a flatten of an earlier life to the next run. */
  readonly byHand?: boolean;
}

/** What the parts share: they write there, each its own, and read what the others know. */
function newBooks({ effects, recovered }: EngineOptions) {
  const stamp: { -readonly [K in keyof Stamp]: Stamp[K] } = { venueTime: 0, monotonic: 0 };
  const positions = new PositionBook();
  const journal = new Journal(effects, stamp);
  const standing = new Standing({ journal, effects });
  const halt = (reason: string): void => {
    standing.halt(reason);
  };
  const foreign = new ForeignBook((text) => {
    effects.notify({ level: 'warn', text });
  });
  const kept = recovered !== undefined && { recovered: recovered.halts };
  return {
    effects,
    stamp,
    positions,
    journal,
    standing,
    halt,
    foreign,
    counts: new RunCounts(),
    ledger: new OrderLedger(positions),
    prices: new PriceBook(),
    instruments: new Map<string, Instrument>(),
    accountView: new AccountView(),
    desk: new Desk(effects, stamp),
    lanes: new Lanes(),
    unreadable: new UnreadableSymbols({ journal, effects }),
    halts: new SymbolHalts({ journal, effects, haltAccount: halt, ...kept }),
  };
}

type Books = ReturnType<typeof newBooks>;

function newFacts(
  { hedgeRate }: EngineOptions,
  books: Books & { readonly leverage: LeverageBook },
): EngineFacts {
  const { accountView: account, standing } = books;
  return new EngineFacts({
    ...books,
    account,
    exposure: new AccountExposure(books),
    hedgeRate,
    mode: () => standing.mode,
    killLevel: () => standing.killLevel,
  });
}

type Way = Books & {
  readonly facts: EngineFacts;
  readonly protocol: OrderProtocol;
  readonly operations: Operations;
  readonly intake: OrderIntake;
};

/** The strategies in their seats, and the ways on which market data comes to them. */
function newHosts(options: EngineOptions, hosts: StrategyHost[], way: Way) {
  const { currency, recovered, seats, base, gate } = options;
  const { intake, operations } = way;
  const streams = new StreamRouter({ ...way, hosts });
  const submit = intake.submit.bind(intake);
  const { protecting } = operations;
  const kept = recovered !== undefined && { kept: recovered.states };
  // Where a limit refuses nothing, a size is not cut to it.
  const room: SeatWorldParts['room'] = (query) =>
    gate.preset === 'standard' ? roomOf(query, way.facts, gate.limits) : undefined;
  const parts = { ...way, currency, submit, room, protecting, funding: streams.funding, ...kept };
  hosts.push(...seats.map((seat) => seated(seat, parts)));
  const series = new SeriesBook(base, hosts);
  return { streams, series, router: new CandleRouter({ ...way, series, hosts }) };
}

/** Makes the parts of an engine, and makes known to each whom it tells. */
export function engineParts(options: EngineOptions) {
  const { account, currency, effects, gate, seats } = options;
  const books = newBooks(options);
  const protocol: OrderProtocol = new OrderProtocol({
    ...books,
    world: orderNews({
      ...books,
      intake: () => intake,
      operations: () => operations,
      operator: () => operator,
      reconciliation: () => reconciliation,
      leverage: () => leverage,
    }),
  });
  const operations: Operations = new Operations({
    ...books,
    account,
    cancel: (order) => {
      protocol.cancel(order);
    },
    ended: (operation) => {
      operator.operationEnded(operation);
    },
  });
  const { leverage: setting, protecting } = operations;
  const changed = (): void => {
    beginning.attempt();
  };
  const leverage = new LeverageBook({ setting, currency, changed });
  const symbols = (): Iterable<string> => new Set(seats.flatMap((seat) => seat.symbols));
  const leverageWatch = new LeverageWatch({ ...books, currency, leverage, symbols });
  const facts = newFacts(options, { ...books, leverage });
  const hosts: StrategyHost[] = [];
  const fences = options.fences ?? false;
  const absent = new AbsentTargets({
    ...books,
    currency,
    seated: seats.map(({ id }) => id),
    ...(options.recovered !== undefined && { states: options.recovered.states }),
  });
  const movedByHand = (symbol: string): void => {
    absent.movedByHand(symbol);
  };
  // At once, so that it is durable with the position itself.
  const takenOff = (symbol: string, before: Quantity, why?: string): void => {
    absent.movedByHand(symbol, before);
    for (const host of hosts)
      if (host.symbols.includes(symbol)) host.movedWhileDown(symbol, before, why);
  };
  const way = { ...books, account, gate, facts, protocol, hosts, fences, movedByHand };
  const intake: OrderIntake = new OrderIntake(way);
  const market = newHosts(options, hosts, { ...books, facts, protocol, operations, intake });
  const { series } = market;
  const parts = { ...books, facts, protocol, hosts, series };
  const submit = intake.submit.bind(intake);
  const operator: Operator = new Operator({
    ...parts,
    submit,
    refuse: intake.refuse.bind(intake),
    objection: intake.objection.bind(intake),
    operations,
    adopt: (what) => {
      reconciliation.adopt(what);
    },
    agreed: () => reconciliation.agreed,
    readPositions: () => {
      reconciliation.readPositions();
    },
    closed: (symbol, before) => {
      takenOff(symbol, before, 'a flatten closed its position');
    },
    resume: (symbol) => {
      beginning.resume(symbol);
    },
  });
  const reconciliation: Reconciliation = new Reconciliation({
    ...parts,
    currency,
    accountName: account,
    namespace: namespaceOf(account),
    account: books.accountView,
    trades: (symbol) => series.find(symbol) !== undefined,
    protecting,
    close: (exit) => {
      submitExit({ ...parts, submit }, exit);
    },
    moved: (symbol, text, cause, by) => {
      effects.notify({ level: 'warn', text });
      if (by === 'hand') absent.movedByHand(symbol);
      // In a backtest there is no other hand.
      intake.positionMoved(symbol, effects.journaling ? by : 'venue', cause);
      operator.goOn();
    },
    movedWhileDown: takenOff,
  });
  const beginning = new Beginning({ ...parts, leverage, reconciliation, operator });
  return {
    ...parts,
    ...market,
    operations,
    leverage,
    leverageWatch,
    operator,
    reconciliation,
    beginning,
  };
}
