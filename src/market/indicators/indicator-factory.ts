import {
  attachCandleFeed,
  attachNumberFeed,
  type CandleIndicatorFeed,
  type HostFedIndicator,
  type IndicatorFeed,
  type ReadOnlyIndicator,
} from './indicator-feed.js';
import type { Indicator } from './indicator.js';

/** Creates an indicator of numbers. With a feed as the last argument the host updates it. */
export interface NumberIndicatorFactory<Arguments extends readonly unknown[], One> {
  (...args: Arguments): One;
  (...args: [...Required<Arguments>, feed: IndicatorFeed]): ReadOnlyIndicator<One>;
}

/** Creates an indicator of candles. With a feed as the last argument the host updates it. */
export interface CandleIndicatorFactory<Arguments extends readonly unknown[], One> {
  (...args: Arguments): One;
  (...args: [...Required<Arguments>, feed: CandleIndicatorFeed]): ReadOnlyIndicator<One>;
}

/**
 * Turns constructors into factories that accept a feed after their own arguments.
 * @param registerFeed see `createIndicators`
 */
export function indicatorFactories(
  registerFeed: (indicator: HostFedIndicator) => void = throwWithoutHost,
) {
  return {
    numbers: <Arguments extends readonly unknown[], One extends Indicator<number, unknown>>(
      count: number,
      make: (...args: Arguments) => One,
    ) =>
      factoryOf(count, make, attachNumberFeed, registerFeed) as NumberIndicatorFactory<
        Arguments,
        One
      >,
    candles: <Arguments extends readonly unknown[], One extends Indicator<never, unknown>>(
      count: number,
      make: (...args: Arguments) => One,
    ) =>
      factoryOf(count, make, attachCandleFeed, registerFeed) as CandleIndicatorFactory<
        Arguments,
        One
      >,
  };
}

/** @param count number of arguments before the feed */
function factoryOf<
  Arguments extends readonly unknown[],
  One extends Pick<HostFedIndicator, 'name'>,
>(
  count: number,
  make: (...args: Arguments) => One,
  attach: (one: never, feed: never) => HostFedIndicator,
  registerFeed: (indicator: HostFedIndicator) => void,
): (...args: readonly unknown[]) => One {
  return (...args) => {
    const one = make(...(args.slice(0, count) as unknown as Arguments));
    const feed = args[count];
    if (feed === undefined) return one;
    if (typeof feed !== 'object' || feed === null) {
      throw new RangeError(
        `A feed of ${one.name} is an object such as { on: 'close', interval: '1h' }, not ${String(feed)}`,
      );
    }
    registerFeed(attach(one as never, feed as never));
    return readOnly(one);
  };
}

/** The type `ReadOnlyIndicator` has no `next`. A strategy in plain JavaScript gets this error instead. */
function readOnly<One extends Pick<HostFedIndicator, 'name'>>(one: One): One {
  return Object.defineProperty(one, 'next', {
    value: () => {
      throw new TypeError(
        `This ${one.name} is fed by the host: read its value, or create it without a feed`,
      );
    },
  });
}

function throwWithoutHost({ name }: HostFedIndicator): never {
  throw new TypeError(
    `${name} has a feed, but no host feeds it here: create it without a feed and call next, or use the indicators that a strategy is given`,
  );
}
