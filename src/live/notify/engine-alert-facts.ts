import {
  absolute,
  multiply,
  negate,
  subtract,
  textFromFixed,
  type Price,
} from '../../core/fixed/fixed.js';
import type { PositionReport } from '../../core/account.js';
import type { Engine } from '../../engine/engine.js';
import type {
  AlertFacts,
  FailedStrategyFact,
  FeedFact,
  PositionFact,
} from '../../notify/alert/alert-facts.js';
import { restrictionText } from '../../risk/restriction-text.js';
import { strategyErrorText } from '../../strategy/host/strategy-error.js';
import { leftOpenCounts } from '../summary/open-exposure-text.js';
import { unprovedAdvice, unprovedRow } from '../summary/unproved-orders.js';

export interface AlertSources {
  readonly engine: Engine;
  /** Rows of the last poll in the engine's currency; undefined: there was none. */
  readonly venuePositions: readonly PositionReport[] | undefined;
  /** ms of this process, now. */
  readonly monotonic: number;
}

/** The facts that alerts are decided on. Reads the engine and changes nothing. */
export function engineAlertFacts(sources: AlertSources): AlertFacts {
  const { engine, monotonic } = sources;
  return {
    restrictions: engine.restrictions.map((each) => ({
      control: each.control,
      symbol: each.symbol,
      isLatched: each.class === 'latching',
      text: restrictionText(each),
    })),
    isKeyRefused: engine.isKeyRefused,
    haltReason: engine.haltReason,
    killLevel: engine.killLevel,
    flattenLeft: engine.isFlattening ? leftOpenCounts(engine.openExposure.own) : undefined,
    unproved: [...engine.ledger.allOpenOrders()]
      .filter(({ unproved }) => unproved)
      .map((order) => ({
        symbol: order.terms.symbol,
        text: unprovedAdvice(unprovedRow(order, monotonic)),
        forMs: monotonic - (order.unprovedSince ?? monotonic),
      })),
    unprotected: engine.unprotected.map((symbol) => positionFact(symbol, sources)),
    feeds: feedFacts(sources),
    failedStrategies: failedStrategies(sources),
  };
}

function feedFacts(sources: AlertSources): readonly FeedFact[] {
  const { engine, monotonic } = sources;
  const { facts, positions } = engine;
  const symbols = new Set(engine.hosts.flatMap((host) => host.symbols));
  for (const position of positions.openPositions()) symbols.add(position.symbol);
  return [...symbols].map((symbol) => {
    const at = facts.lastPriceAt(symbol);
    const { quantity, stop } = positionFact(symbol, sources);
    return {
      symbol,
      ageMs: at === undefined ? undefined : monotonic - at,
      quantity: quantity === '0' ? undefined : quantity,
      stop,
    };
  });
}

const failedStrategies = (sources: AlertSources): readonly FailedStrategyFact[] =>
  sources.engine.hosts
    .filter(({ state }) => state === 'failed')
    .map(({ id, errors, symbols }) => {
      const last = errors.at(-1);
      return {
        id,
        error: last === undefined ? 'it is no longer called' : strategyErrorText(last),
        positions: symbols
          .map((symbol) => positionFact(symbol, sources))
          .filter(({ quantity }) => quantity !== '0'),
      };
    });

function positionFact(symbol: string, { engine, venuePositions }: AlertSources): PositionFact {
  const { positions, currency } = engine;
  const own = positions.ownQuantity(symbol, currency);
  const row = venuePositions?.find((each) => each.symbol === symbol && each.currency === currency);
  const stop = row?.stopLoss?.price;
  return {
    symbol,
    quantity: textFromFixed(own),
    stop: stop === undefined ? undefined : textFromFixed(stop),
    lossAtStop: stop === undefined ? undefined : lossAt(symbol, stop, engine),
  };
}

/** USDT between the entry and the stop; the slippage of the stop comes on top. */
function lossAt(symbol: string, stop: Price, { positions, currency }: Engine): string | undefined {
  const entry = positions.entryPrice(symbol, currency);
  if (entry === undefined) return undefined;
  const own = positions.ownQuantity(symbol, currency);
  const perUnit = own > 0 ? subtract(entry, stop) : subtract(stop, entry);
  const loss = multiply(absolute(own), absolute(perUnit));
  return textFromFixed(perUnit < 0 ? negate(loss) : loss);
}
