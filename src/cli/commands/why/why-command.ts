import { printableData, styled } from '../../../core/terminal-text.js';
import { EXIT } from '../../../core/exit-code.js';
import { usesColour, type Io } from '../../command-io.js';
import type { WhyOptions } from './why-options.js';
import { nodeRanges } from '../../../io/node/node-ranges.js';
import { withClosedParts } from '../../../tools/trace/index/closed-parts.js';
import { traceCandle, type TraceContext } from '../../../tools/trace/candle-trace.js';
import { candleTraceText } from '../../../tools/trace/candle-trace-text.js';
import { EventLookup } from '../../../tools/trace/event-lookup.js';
import { traceById } from '../../../tools/trace/trace-lookup.js';
import {
  INDEX_FILE,
  openJournalIndex,
  type IndexPorts,
} from '../../../tools/trace/index/journal-index.js';
import type { Progress } from '../../../tools/trace/index/journal-logs.js';
import { traceResultText } from '../../../tools/trace/order-trace-text.js';
import { paintOf } from '../../../tools/trace/trace-text.js';
import { findStateDirs } from '../../../tools/trace/find-state-dir.js';
import { parseTraceQuery, type TraceQuery } from '../../../tools/trace/trace-query.js';

/** Interval between two progress lines. */
const PROGRESS_EVERY_MS = 1_000;

/** Explains one order, decision or candle of a state folder. Reads only, so a daemon may run meanwhile. */
export async function whyCommand(options: WhyOptions, io: Io): Promise<number> {
  const { args, config, json, rebuild } = options;
  const query = parseTraceQuery(args);
  const explicitDir = query.stateDir === undefined ? {} : { stateDir: query.stateDir };
  const stateDirRequest = { ...explicitDir, ...(config !== undefined && { config }) };
  const [directory] = await findStateDirs(stateDirRequest, io);
  if (!json && directory !== query.stateDir) io.stderr(`sluice: in ${directory}\n`);
  const ports = portsOf(io, directory);
  const index = await openJournalIndex(directory, ports, rebuild);
  try {
    const events = new EventLookup(index, ports, ports.progress);
    const result = await answerQuery(query, options, { index, events, ports });
    const paint = paintOf(usesColour(io));
    const document = { subject: args.join(' '), state_dir: directory, ...result.json };
    io.stdout(json ? `${JSON.stringify(document)}\n` : styled(result.text(paint)));
    return EXIT.done;
  } finally {
    await index.close();
  }
}

interface QueryResult {
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: (paint: ReturnType<typeof paintOf>) => string;
}

async function answerQuery(
  { subject }: TraceQuery,
  { strategy }: WhyOptions,
  context: TraceContext,
): Promise<QueryResult> {
  if (subject.kind === 'candle') {
    const candleTrace = await traceCandle(subject, strategy, context);
    return {
      json: { ...candleTrace },
      text: (paint) => candleTraceText(printableData(candleTrace), paint),
    };
  }
  const traces = await traceById(subject.text, context.index, context.events);
  return {
    json: { answers: traces },
    text: (paint) =>
      printableData(traces)
        .map((trace) => traceResultText(trace, paint))
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
  let lastPrintedAt = io.clock.monotonicMs();
  return (doneBytes, ofBytes) => {
    const now = io.clock.monotonicMs();
    if (now - lastPrintedAt < PROGRESS_EVERY_MS) return;
    lastPrintedAt = now;
    const share = Math.floor((100 * doneBytes) / ofBytes);
    io.stderr(`sluice: reading ${directory} into ${INDEX_FILE}: ${share} %\n`);
  };
}
