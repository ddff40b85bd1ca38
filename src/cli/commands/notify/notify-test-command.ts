import { loadConfig } from '../../../config/config.js';
import { UsageError } from '../../../core/command-errors.js';
import { EXIT } from '../../../core/exit-code.js';
import { createLogger } from '../../../live/log/logger.js';
import { openChannels, type OpenChannels } from '../../../live/notify/open-notify.js';
import { ALERT_LEVELS, alertKind, type AlertLevel } from '../../../notify/alert/alert-kind.js';
import type { Notice } from '../../../notify/alert/notice.js';
import type { NotifyChannel } from '../../../notify/channel/channel.js';
import { usesColour, type Io } from '../../command-io.js';
import type { NotifyTestOptions } from './notify-options.js';

interface TestResult {
  readonly channel: string;
  /** null: a channel without levels. */
  readonly level: AlertLevel | null;
  readonly delivered: boolean;
  readonly error: string | null;
}

/**
 * Runs `sluice notify test`: one attempt for each channel and level, without a retry.
 * @returns 0 when everything was delivered, else 1
 */
export async function notifyTestCommand(options: NotifyTestOptions, io: Io): Promise<number> {
  const config = await loadConfig(options.config, io.files);
  if (config.notify === undefined)
    throw new UsageError(
      `${config.path} has no notify section: add one, such as notify: { command: { run: [./alert.sh] } }`,
    );
  const scrubbed = new Set<string>();
  const logger = await createLogger({
    level: 'error',
    write: io.stderr,
    pretty: io.isTerminal,
    colour: usesColour(io),
    secrets: scrubbed,
  });
  const open = await openChannels(config.notify, { ...io, logger, scrubbed });
  try {
    const results = await testAll(open, (level) => testNotice(level, config, io));
    if (options.json) io.stdout(`${JSON.stringify({ results })}\n`);
    else for (const each of results) io.stdout(`${resultText(each)}\n`);
    return results.every(({ delivered }) => delivered) ? EXIT.done : EXIT.failed;
  } finally {
    await Promise.all(open.channels.map((channel) => channel.close()));
    await open.close();
  }
}

async function testAll(
  { channels, deadMan }: OpenChannels,
  notice: (level: AlertLevel) => Notice,
): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  for (const channel of channels)
    for (const level of ALERT_LEVELS)
      if (channel.levels.has(level)) results.push(await deliver(channel, notice(level)));
  if (deadMan !== undefined) {
    const error = await deadMan.ping();
    const delivered = error === undefined;
    results.push({ channel: 'dead_man', level: null, delivered, error: error ?? null });
  }
  return results;
}

async function deliver(channel: NotifyChannel, notice: Notice): Promise<TestResult> {
  const { name } = channel;
  const { level } = notice;
  try {
    await channel.deliver(notice);
    return { channel: name, level, delivered: true, error: null };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { channel: name, level, delivered: false, error: text };
  }
}

const testNotice = (
  level: AlertLevel,
  { account, mode }: { readonly account: string; readonly mode: string },
  { clock }: Io,
): Notice => ({
  id: `${account}-test-${clock.utcMs()}-${level}`,
  level,
  silent: level !== 'page',
  atMs: clock.utcMs(),
  account,
  mode,
  items: [
    {
      key: 'test',
      kind: 'test',
      state: 'happened',
      title: alertKind('test').title,
      text: `this is a ${level} of sluice notify test`,
      count: 1,
      sinceMs: clock.utcMs(),
    },
  ],
  omitted: 0,
});

const resultText = ({ channel, level, delivered, error }: TestResult): string =>
  `${channel.padEnd(9)} ${(level ?? '–').padEnd(8)} ${delivered ? 'accepted' : `NOT delivered: ${error ?? ''}`}`;
