import type { CandleAnswer } from './candle-question.js';
import { foundText } from './order-text.js';
import type { Paint } from './paint.js';
import type { CandleStory } from './story.js';
import { treeText, type Branch } from './tree.js';

/** What came of a candle, strategy by strategy; then the chains that it began. */
export function candleAnswerText(answer: CandleAnswer, paint: Paint): string {
  const { symbol, open_time: open, strategies, nothing, warning, mode } = answer;
  const branches: Branch[] = [
    ...(mode === undefined
      ? []
      : [
          {
            text: `${paint.name('mode')}  ${mode.mode} ${paint.dim(`since ${spaced(mode.since)} (${mode.cause})`)}`,
          },
        ]),
    ...strategies.map(({ story, values, interval, open_time }) =>
      strategyBranch(story, { values, interval, open: open_time }, paint),
    ),
    ...(nothing === undefined ? [] : [{ text: paint.doubtful(nothing) }]),
    ...(warning === undefined ? [] : [{ text: paint.bad(warning) }]),
  ];
  const head = treeText({
    text: paint.strong(`candle ${symbol} ${spaced(open)}`),
    below: branches,
  });
  const chains = strategies.flatMap(({ answers }) =>
    answers.map((story) => foundText(story, paint)),
  );
  return [head, ...chains].join('\n');
}

interface Seen {
  readonly values: CandleAnswer['strategies'][number]['values'];
  readonly interval: string;
  readonly open: string;
}

function strategyBranch(
  story: CandleStory,
  { values, interval, open }: Seen,
  paint: Paint,
): Branch {
  const { strategy, outcome, because, position, asked, said, before, mode } = story;
  const colour =
    outcome === 'ordered' ? paint.good : outcome === 'refused' ? paint.bad : paint.doubtful;
  return {
    text: `${paint.name(strategy)}  ${colour(outcome)}: ${because}`,
    below: [
      {
        text:
          values === undefined
            ? paint.doubtful('the record does not hold the candle')
            : `${interval} candle of ${spaced(open)}: open ${values.open} high ${values.high} low ${values.low} close ${values.close} volume ${values.volume}`,
      },
      ...(mode === undefined
        ? []
        : [{ text: paint.dim(`mode ${mode}, position ${position ?? '?'}`) }]),
      ...(asked.length === 0 ? [] : [{ text: `asked for ${asked.join(', ')}` }]),
      ...said.map((text) => ({ text: `said “${text}”` })),
      ...(before === undefined
        ? []
        : [{ text: paint.dim(`said before, at ${spaced(before.time)}: “${before.text}”`) }]),
    ],
  };
}

const spaced = (time: string): string => time.replace('T', ' ');
