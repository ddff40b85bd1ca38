import { leverageFault } from '../checks/listed-symbols.js';
import { EVERY, fail, firstFailure, judged, pass, REAL, type Interlock } from './interlock.js';
import type { RunMode } from '../../config/config-schema.js';
import type { StartFacts } from './start-facts.js';

/** Modes with instrument rules and leverage of the venue. */
const KEYED: readonly RunMode[] = [...REAL, 'sandbox'];

const MINUTE_MS = 60_000;
/** The newest closed minute may be served a few seconds late; the second minute without one is an outage. */
const MAX_CANDLE_AGE_MS = 3 * MINUTE_MS;

const symbolsOf = ({ config }: StartFacts): readonly string[] => [
  ...new Set(config.strategies.flatMap(({ symbols }) => symbols)),
];

const clockSkew: Interlock = {
  id: 'clock_skew',
  severity: 'hard',
  modes: REAL,
  reads: 'venue',
  entriesOnly: true,
  requires:
    "this machine's clock is within `max_clock_skew_ms.warn` of the venue's (its Date header, known to a second)",
  mend: 'let NTP set the clock: timedatectl set-ntp true',
  judge: ({ config, venue }) =>
    judged(venue?.skewMs, (skewMs) => {
      const { warn } = config.riskSettings.limits.breakers.clockSkewMs;
      const text = `${Math.round(skewMs)} ms from the venue's clock`;
      return Math.abs(skewMs) <= warn ? pass(text) : fail(`${text}, limit ${warn} ms`);
    }),
};

const instrumentRules: Interlock = {
  id: 'instrument_rules',
  severity: 'hard',
  modes: KEYED,
  reads: 'venue',
  entriesOnly: true,
  requires: 'the venue lists every configured symbol, with rules that can be read',
  mend: 'correct the symbols in CONFIG (strategies, symbols)',
  judge: (facts) =>
    judged(facts.venue?.instruments, (instruments) => {
      const listed = new Set(instruments.map(({ symbol }) => symbol));
      const missing = symbolsOf(facts).filter((symbol) => !listed.has(symbol));
      return missing.length === 0
        ? pass(symbolsOf(facts).join(', '))
        : fail(`not listed, or with rules that cannot be read: ${missing.join(', ')}`);
    }),
};

const leverage: Interlock = {
  id: 'leverage',
  severity: 'hard',
  modes: KEYED,
  reads: 'venue',
  entriesOnly: true,
  requires:
    "each configured leverage is within the venue's bounds and steps, and the set one can be read",
  mend: 'set the leverage of the strategy in CONFIG to a value that the venue takes',
  judge: (facts) =>
    judged(facts.venue?.instruments, (instruments) => {
      const faults = facts.config.strategies.flatMap((strategy) =>
        instruments
          .filter(({ symbol }) => strategy.symbols.includes(symbol))
          .flatMap((instrument) => leverageFault(strategy.leverage, instrument) ?? []),
      );
      if (faults.length > 0) return fail(faults.join('; '));
      const read = symbolsOf(facts).map((symbol) =>
        judged(facts.venue?.leverage.get(symbol), () => pass(symbol)),
      );
      return firstFailure(read, 'within the bounds of the venue');
    }),
};

const freshData: Interlock = {
  id: 'fresh_data',
  severity: 'hard',
  modes: EVERY,
  reads: 'venue',
  entriesOnly: true,
  requires: 'the newest closed one-minute candle of each symbol is at most 3 minutes old',
  mend: 'wait until the venue serves candles again; its status page may name an outage',
  judge(facts) {
    const verdicts = symbolsOf(facts).map((symbol) =>
      judged(facts.venue?.candles.get(symbol), ({ newestAgeMs }) => {
        if (newestAgeMs === undefined) return fail(`the venue has no recent candle of ${symbol}`);
        const text = `the newest candle of ${symbol} closed ${Math.round(newestAgeMs / 1_000)} s ago`;
        return newestAgeMs <= MAX_CANDLE_AGE_MS ? pass(text) : fail(text);
      }),
    );
    return firstFailure(verdicts, 'candles of every symbol arrive');
  },
};

const warmUp: Interlock = {
  id: 'warm_up',
  severity: 'hard',
  modes: EVERY,
  reads: 'venue',
  entriesOnly: true,
  requires: 'the history of the venue reaches back to the first candle that each strategy needs',
  mend: 'shorten the periods or the interval of the strategy in CONFIG, or choose a symbol with a longer history',
  judge(facts) {
    const verdicts = symbolsOf(facts).map((symbol) =>
      judged(facts.venue?.candles.get(symbol), ({ neededFrom, oldestOpen }) => {
        if (neededFrom === undefined) return pass(symbol);
        // A quiet minute has no candle, so the first one may be a little later.
        if (oldestOpen !== undefined && oldestOpen - neededFrom <= MAX_CANDLE_AGE_MS)
          return pass(symbol);
        const there =
          oldestOpen === undefined
            ? 'the venue has none there'
            : `those of the venue begin at ${isoOf(oldestOpen)}`;
        return fail(`${symbol} needs candles from ${isoOf(neededFrom)} on, and ${there}`);
      }),
    );
    return firstFailure(verdicts, 'the history suffices');
  },
};

const isoOf = (ms: number): string => new Date(ms).toISOString();

export const MARKET_INTERLOCKS: readonly Interlock[] = [
  clockSkew,
  instrumentRules,
  leverage,
  freshData,
  warmUp,
];
