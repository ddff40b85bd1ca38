import { countText } from '../../../core/terminal-text.js';
import type { ChaosOptions } from './chaos-options.js';
import type { Io } from '../../command-io.js';
import { EXIT, type ExitCode } from '../../../core/exit-code.js';
import { StartError } from '../../../core/command-errors.js';
import { makeScratchFolder } from '../../../io/node/scratch-folder.js';
import { sluiceEntryPath } from '../../../tools/chaos/chaos-bot.js';
import { runScenario, type Scenario, type ScenarioResult } from '../../../tools/chaos/scenario.js';
import { SCENARIOS } from '../../../tools/chaos/scenarios.js';

/**
 * Runs `sluice chaos`: kills a bot between request and response and shows that each order exists once.
 * Uses loopback only, and its own folder.
 * @returns 0 when every check holds, else 1
 */
export async function chaosCommand(options: ChaosOptions, io: Io): Promise<ExitCode> {
  const print = (text: string): void => {
    if (!options.json) io.stdout(text);
  };
  const folder = await makeScratchFolder('sluice-chaos-');
  const program = await sluiceEntryPath(io.files);
  const startedAt = io.clock.monotonicMs();
  const results: ScenarioResult[] = [];
  const stop = new AbortController();
  const unsubscribe = io.onSignal(() => {
    stop.abort(new StartError('stopped before the last scenario'));
  });
  print(introText(SCENARIOS.length));
  try {
    for (const [index, scenario] of SCENARIOS.entries()) {
      print(scenarioText(index + 1, scenario));
      const printStep = (text: string): void => {
        print(`     ${text}\n`);
      };
      const seed = options.seed + index;
      const result = await runScenario(scenario, {
        ports: io,
        seed,
        folder,
        program,
        print: printStep,
        signal: stop.signal,
      });
      results.push(result);
      print(findingsText(result));
    }
  } finally {
    unsubscribe();
    if (options.keep) io.stderr(`sluice: kept ${folder.path}\n`);
    else await folder.remove();
  }
  const seconds = (io.clock.monotonicMs() - startedAt) / 1_000;
  if (options.json) io.stdout(`${JSON.stringify(jsonReport(results, seconds, options.seed))}\n`);
  print(resultText(results, seconds));
  return results.every(({ holds }) => holds) ? EXIT.done : EXIT.failed;
}

const jsonReport = (results: readonly ScenarioResult[], seconds: number, seed: number) => ({
  holds: results.every(({ holds }) => holds),
  seed,
  seconds: Number(seconds.toFixed(1)),
  scenes: results.map(({ scenario, evidence, findings, holds }) => ({
    scene: scenario.name,
    holds,
    client_order_id: evidence.clientOrderId,
    deliveries: evidence.deliveries,
    orders: evidence.orders.length,
    position_venue: evidence.position.venue,
    position_believed: evidence.position.believed,
    unknown: evidence.unknown ?? null,
    reconciled: evidence.reconciled,
    journal: evidence.journal,
    findings,
  })),
});

const MAX_LINE_LENGTH = 84;

const introText = (scenarioCount: number): string =>
  `A local exchange, a real bot, and kill -9: ${countText(scenarioCount, 'scenario')}, each with its own exchange.\n`;

const scenarioText = (number: number, { title, description }: Scenario): string =>
  `\n  ${number}  ${title}\n${wrapped(description)}\n`;

function findingsText({ evidence, findings }: ScenarioResult): string {
  const journal = evidence.journal.map((line) => `       ${line}\n`).join('');
  const checkLines = findings
    .map(({ holds, text }) => `     ${holds ? '✓' : '✗'} ${text}\n`)
    .join('');
  return `     the journal of ${evidence.clientOrderId}\n${journal}${checkLines}`;
}

function resultText(results: readonly ScenarioResult[], seconds: number): string {
  const checks = results.flatMap(({ findings }) => findings);
  const held = checks.filter(({ holds }) => holds).length;
  const verdict =
    held === checks.length
      ? 'Every order exists once, and the bot agrees.'
      : 'A check failed: run again with --keep, and inspect the folder.';
  return `\n${held} of ${checks.length} checks hold, after ${seconds.toFixed(0)} s. ${verdict}\n`;
}

/** Wraps a text into indented lines. */
function wrapped(text: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > MAX_LINE_LENGTH - 5) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => `     ${each}`).join('\n');
}
