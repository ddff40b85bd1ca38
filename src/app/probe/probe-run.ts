import type { ProbeDesk } from './probe-desk.js';
import { ACCOUNT_QUESTIONS, FACT_QUESTIONS } from './probe-account-questions.js';
import { MARKET_QUESTIONS } from './probe-market-questions.js';
import { unanswered, type Finding, type Moment, type Question } from './probe-question.js';
import { STREAM_QUESTIONS } from './probe-stream-questions.js';
import { TRADING_QUESTIONS } from './probe-trading-questions.js';
import type { ProbeWorld } from './probe-world.js';

/** Every question that a probe knows. */
export const QUESTIONS: readonly Question[] = [
  ...MARKET_QUESTIONS,
  ...STREAM_QUESTIONS,
  ...ACCOUNT_QUESTIONS,
  ...TRADING_QUESTIONS,
  ...FACT_QUESTIONS,
];

export interface Answered {
  readonly question: Question;
  readonly finding: Finding;
}

export interface ProbeRun {
  readonly world: ProbeWorld;
  /** Absent: by reads alone. */
  readonly desk?: ProbeDesk;
  /** Default: all of them. */
  readonly questions?: readonly Question[];
  readonly heard?: (answered: Answered) => void;
  /** From then on nothing more is asked. */
  readonly stopped?: () => boolean;
}

/** Asks one question after the other; those that only listen for long are asked beside them. */
export async function runProbe(run: ProbeRun): Promise<readonly Answered[]> {
  const { questions = QUESTIONS } = run;
  const beside = questions.filter(({ long }) => long === true).map((each) => ask(each, run));
  const others = questions.filter(({ long }) => long !== true);
  const at = (moment: Moment) => others.filter((question) => question.moment === moment);
  const answered: Answered[] = [];
  for (const question of at('any')) answered.push(await ask(question, run));
  for (const question of at('resting')) answered.push(await askResting(question, run));
  for (const question of at('open')) answered.push(await askOpen(question, run));
  for (const question of at('after')) answered.push(await ask(question, run));
  answered.push(...(await Promise.all(beside)));
  return answered;
}

/** Under an order of the probe's own, where it may place one. */
async function askResting(question: Question, run: ProbeRun): Promise<Answered> {
  const { desk } = run;
  if (desk === undefined || question.trades === true) return ask(question, run);
  return ask(question, run, async () => {
    const { orderId } = await desk.rest();
    return async () => {
      await desk.cancel(orderId);
    };
  });
}

const askOpen = (question: Question, run: ProbeRun): Promise<Answered> =>
  ask(question, run, async () => {
    await run.desk?.ensurePosition();
  });

/** A question that meets trouble stays open; the others are asked all the same. */
async function ask(
  question: Question,
  { world, desk, heard, stopped }: ProbeRun,
  prepare: () => Promise<(() => Promise<void>) | void> = () => Promise.resolve(),
): Promise<Answered> {
  if (stopped?.() === true) return { question, finding: unanswered('the probe was stopped') };
  let finding: Finding;
  try {
    const undo = await prepare();
    finding = await question.ask(world, desk);
    await undo?.();
  } catch (error) {
    finding = unanswered(error instanceof Error ? error.message : String(error));
  }
  const answered = { question, finding };
  heard?.(answered);
  return answered;
}
