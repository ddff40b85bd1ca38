import type { CandleTraceResult } from './candle-trace.js';
import { traceResultText } from './order-trace-text.js';
import type { CandleTrace } from './trace.js';
import { spacedTime, treeText, type Branch, type Paint } from './trace-text.js';

/** The outcome of a candle for each strategy, then the causal chains of its orders. */
export function candleTraceText(answer: CandleTraceResult, paint: Paint): string {
  const { symbol, open_time: open, strategies, nothing, warning, mode } = answer;
  const branches: Branch[] = [
    ...(mode === undefined
      ? []
      : [
          {
            text: `${paint.name('mode')}  ${mode.mode} ${paint.dim(`since ${spacedTime(mode.since)} (${mode.cause})`)}`,
          },
        ]),
    ...strategies.map(({ story: trace, values, interval, open_time }) =>
      strategyBranch(trace, { values, interval, open: open_time }, paint),
    ),
    ...(nothing === undefined ? [] : [{ text: paint.uncertain(nothing) }]),
    ...(warning === undefined ? [] : [{ text: paint.bad(warning) }]),
  ];
  const head = treeText({
    text: paint.strong(`candle ${symbol} ${spacedTime(open)}`),
    below: branches,
  });
  const chains = strategies.flatMap(({ answers }) =>
    answers.map((trace) => traceResultText(trace, paint)),
  );
  return [head, ...chains].join('\n');
}

interface CandleInfo {
  readonly values: CandleTraceResult['strategies'][number]['values'];
  readonly interval: string;
  readonly open: string;
}

function strategyBranch(
  trace: CandleTrace,
  { values, interval, open }: CandleInfo,
  paint: Paint,
): Branch {
  const { strategy, outcome, because, position, asked, said, before, mode } = trace;
  const colour =
    outcome === 'ordered' ? paint.good : outcome === 'refused' ? paint.bad : paint.uncertain;
  return {
    text: `${paint.name(strategy)}  ${colour(outcomeText(outcome))}: ${because}`,
    below: [
      {
        text:
          values === undefined
            ? paint.uncertain('the record does not hold the candle')
            : `${interval} candle of ${spacedTime(open)}: open ${values.open} high ${values.high} low ${values.low} close ${values.close} volume ${values.volume}`,
      },
      ...(mode === undefined
        ? []
        : [{ text: paint.dim(`mode ${mode}, position ${position ?? '?'}`) }]),
      ...(asked.length === 0 ? [] : [{ text: `asked for ${asked.join(', ')}` }]),
      ...said.map((text) => ({ text: `note “${text}”` })),
      ...(before === undefined
        ? []
        : [
            {
              text: paint.dim(`last note before, at ${spacedTime(before.time)}: “${before.text}”`),
            },
          ]),
    ],
  };
}

/** `untold` is a JSON value; people read plain words. */
const outcomeText = (outcome: CandleTrace['outcome']): string =>
  outcome === 'untold' ? 'unknown' : outcome;
