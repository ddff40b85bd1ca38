import type { ProbeTrader } from './probe-trader.js';
import { ACCOUNT_QUESTIONS, FACT_QUESTIONS } from './probe-account-questions.js';
import { MARKET_QUESTIONS } from './probe-market-questions.js';
import {
  unanswered,
  type ProbeFinding,
  type QuestionPrecondition,
  type ProbeQuestion,
} from './probe-question.js';
import { STREAM_QUESTIONS } from './probe-stream-questions.js';
import { TRADING_QUESTIONS } from './probe-trading-questions.js';
import type { ProbeContext } from './probe-context.js';

/** Every question of a probe. */
export const QUESTIONS: readonly ProbeQuestion[] = [
  ...MARKET_QUESTIONS,
  ...STREAM_QUESTIONS,
  ...ACCOUNT_QUESTIONS,
  ...TRADING_QUESTIONS,
  ...FACT_QUESTIONS,
];

export interface AnsweredQuestion {
  readonly question: ProbeQuestion;
  readonly finding: ProbeFinding;
}

export interface ProbeRunOptions {
  readonly context: ProbeContext;
  /** Absent: the probe only reads. */
  readonly trader?: ProbeTrader;
  /** Default: all questions. */
  readonly questions?: readonly ProbeQuestion[];
  readonly onAnswered?: (answered: AnsweredQuestion) => void;
  /** Once true, no more questions are asked. */
  readonly isStopped?: () => boolean;
}

/** Asks the questions one by one. Questions that listen for a long time run concurrently. */
export async function runProbe(options: ProbeRunOptions): Promise<readonly AnsweredQuestion[]> {
  const { questions = QUESTIONS } = options;
  const concurrent = questions
    .filter(({ runsConcurrently }) => runsConcurrently === true)
    .map((each) => ask(each, options));
  const others = questions.filter(({ runsConcurrently }) => runsConcurrently !== true);
  const withPrecondition = (precondition: QuestionPrecondition) =>
    others.filter((question) => question.precondition === precondition);
  const answered: AnsweredQuestion[] = [];
  for (const question of withPrecondition('any')) answered.push(await ask(question, options));
  for (const question of withPrecondition('resting'))
    answered.push(await askWithRestingOrder(question, options));
  for (const question of withPrecondition('open'))
    answered.push(await askWithPosition(question, options));
  for (const question of withPrecondition('after')) answered.push(await ask(question, options));
  answered.push(...(await Promise.all(concurrent)));
  return answered;
}

/** Asks while an order of the probe rests, if the probe may place one. */
async function askWithRestingOrder(
  question: ProbeQuestion,
  options: ProbeRunOptions,
): Promise<AnsweredQuestion> {
  const { trader } = options;
  if (trader === undefined || question.placesOrders === true) return ask(question, options);
  return ask(question, options, async () => {
    const { orderId } = await trader.placeRestingOrder();
    return async () => {
      await trader.cancel(orderId);
    };
  });
}

const askWithPosition = (
  question: ProbeQuestion,
  options: ProbeRunOptions,
): Promise<AnsweredQuestion> =>
  ask(question, options, async () => {
    await options.trader?.ensurePosition();
  });

/** Asks one question. After an error the question stays open and the next one is asked. */
async function ask(
  question: ProbeQuestion,
  { context, trader, onAnswered, isStopped }: ProbeRunOptions,
  prepare: () => Promise<(() => Promise<void>) | void> = () => Promise.resolve(),
): Promise<AnsweredQuestion> {
  if (isStopped?.() === true) return { question, finding: unanswered('the probe was stopped') };
  let finding: ProbeFinding;
  try {
    const undo = await prepare();
    finding = await question.ask(context, trader);
    await undo?.();
  } catch (error) {
    finding = unanswered(error instanceof Error ? error.message : String(error));
  }
  const answered = { question, finding };
  onAnswered?.(answered);
  return answered;
}
