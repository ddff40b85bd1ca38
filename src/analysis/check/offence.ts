import type { HonestyCheck, Offence, OffenceKind } from '../../report/run/checks-schema.js';
import type { DecisionDifference } from './decision-difference.js';
import { decisionText } from './decision.js';

export const instantOf = (ms: number): string => new Date(ms).toISOString();

const without =
  (status: 'not_run' | 'unfinished') =>
  (reason: string): HonestyCheck => ({
    ...{ status, reason },
    runs: 0,
    candles: [],
    offence: null,
  });

export const notRun = without('not_run');
export const unfinished = without('unfinished');
export const STOPPED = 'it was stopped before its end';

const SENTENCES: Readonly<Record<Exclude<OffenceKind, 'file'>, (text: OffenceTexts) => string>> = {
  future: ({ where, decided, instead }) =>
    `looks ahead: ${where} it decides "${decided}", and "${instead}" when only later candles differ`,
  state: ({ where, decided, instead }) =>
    `keeps state outside of create(): ${where} it decides "${decided}", and "${instead}" in a second run, which knows the first`,
  date: ({ where, decided, instead }) =>
    `depends on the year: ${where} it decides "${decided}", and "${instead}" for the same candles 28 years apart; a date in its code or its parameters knows the history`,
  warm_up: ({ where, decided, instead }) =>
    `needs a longer warm-up: ${where} it decides "${decided}" after its own warm-up, and "${instead}" after more candles`,
};

interface OffenceTexts {
  readonly where: string;
  readonly decided: string;
  readonly instead: string;
}

export function offenceOf(
  kind: Exclude<OffenceKind, 'file'>,
  { candle, strategy, symbol, field, before, after }: DecisionDifference,
): Offence {
  const decided = decisionText(before);
  const instead = decisionText(after);
  const at = instantOf(candle);
  const where = `after the candle of ${at.slice(0, 16).replace('T', ' ')}${symbol === '' ? '' : ` of ${symbol}`}`;
  const sentence = SENTENCES[kind]({ where, decided, instead });
  return {
    kind,
    candle: at,
    strategy,
    symbol: symbol === '' ? null : symbol,
    field,
    decided,
    instead,
    text: `${strategy} ${sentence} (${field})`,
  };
}
