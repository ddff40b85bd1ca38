import { printableData, styled } from '../../core/terminal-text.js';
import { EXIT } from '../exit-code.js';
import type { Io, WhyOptions } from '../command-options.js';
import { nodeRanges } from '../ports/node-ranges.js';
import { withClosedParts } from './closed-parts.js';
import { candleQuestion } from './candle-question.js';
import { candleAnswerText } from './candle-text.js';
import { Events } from './event-story.js';
import { findById } from './find-order.js';
import {
  INDEX_FILE,
  openJournalIndex,
  type IndexPorts,
  type JournalIndex,
} from './journal-index.js';
import type { Progress } from './journal-logs.js';
import { foundText } from './order-text.js';
import { paintOf } from './paint.js';
import { chooseState } from './state-choice.js';
import { questionOf, type Question } from './subject.js';

/** Work that takes longer says how far it is, this often. */
const PROGRESS_EVERY_MS = 1_000;

/** Explains one order, decision or candle of a state folder. Reads only; a daemon may run meanwhile. */
export async function whyCommand(options: WhyOptions, io: Io): Promise<number> {
  const { words, config, json, rebuild } = options;
  const question = questionOf(words);
  const named = question.stateDir === undefined ? {} : { stateDir: question.stateDir };
  const asked = { ...named, ...(config !== undefined && { config }) };
  const directory = await chooseState(asked, io.files);
  if (!json && directory !== question.stateDir) io.stderr(`sluice: in ${directory}\n`);
  const ports = portsOf(io, directory);
  const index = await openJournalIndex(directory, ports, rebuild);
  try {
    const events = new Events(index, ports, ports.progress);
    const answer = await answerOf(question, options, { index, events, ports });
    const paint = paintOf(io.isTerminal && io.env['NO_COLOR'] === undefined);
    const document = { subject: words.join(' '), state_dir: directory, ...answer.json };
    io.stdout(json ? `${JSON.stringify(document)}\n` : styled(answer.text(paint)));
    return EXIT.done;
  } finally {
    await index.close();
  }
}

interface World {
  readonly index: JournalIndex;
  readonly events: Events;
  readonly ports: IndexPorts;
}

interface Answer {
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: (paint: ReturnType<typeof paintOf>) => string;
}

async function answerOf(
  { subject }: Question,
  { strategy }: WhyOptions,
  world: World,
): Promise<Answer> {
  const { index, events, ports } = world;
  if (subject.kind === 'candle') {
    const answer = await candleQuestion(subject, strategy, { index, events, ports });
    return { json: { ...answer }, text: (paint) => candleAnswerText(printableData(answer), paint) };
  }
  const stories = await findById(subject.text, index, events);
  return {
    json: { answers: stories },
    text: (paint) =>
      printableData(stories)
        .map((story) => foundText(story, paint))
        .join('\n'),
  };
}

function portsOf(io: Io, directory: string): IndexPorts {
  return {
    ...withClosedParts({ files: io.files, ranges: nodeRanges }),
    progress: progressOn(io, directory),
    warn: (text) => {
      io.stderr(`sluice: warning: ${text}\n`);
    },
  };
}

function progressOn(io: Io, directory: string): Progress {
  let told = io.clock.monotonicMs();
  return (doneBytes, ofBytes) => {
    const now = io.clock.monotonicMs();
    if (now - told < PROGRESS_EVERY_MS) return;
    told = now;
    const share = Math.floor((100 * doneBytes) / ofBytes);
    io.stderr(`sluice: reading ${directory} into ${INDEX_FILE}: ${share} %\n`);
  };
}
