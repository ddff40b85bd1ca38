import type { SluiceConfig } from '../../../config/config.js';
import { textFromFixed } from '../../../core/fixed/fixed.js';
import type { Cancel, Logger } from '../../../core/ports.js';
import type { RecoveredPosition } from '../../../execution/recovery/recovered-positions.js';
import { freshSecret } from '../../../io/node/fresh-secret.js';
import type { NodeNet } from '../../../io/net/node-net.js';
import type { RetryPolicy } from '../../../live/bot/bot-parts.js';
import {
  learnedFingerprint,
  readFingerprint,
  writeFingerprint,
  type PresentedAccount,
} from '../../../live/interlocks/account-fingerprint.js';
import { checkInterlocks, refuseStart } from '../../../live/interlocks/start-check.js';
import type { StartFacts } from '../../../live/interlocks/start-facts.js';
import { StartReader } from '../../../live/interlocks/start-reader.js';
import type { Io } from '../../command-io.js';
import type { RunPorts } from './run-ports.js';

/** Real ms that the reads of the interlocks may take before open positions are named. */
const UNATTENDED_MS = 10_000;

/** Positions of the journal while the start waits for the venue. */
export const unattendedText = (
  positions: readonly Pick<RecoveredPosition, 'symbol' | 'quantity'>[],
  stateDir: string,
): string =>
  `no strategy attends to ${positions.map(({ symbol, quantity }) => `${textFromFixed(quantity)} ${symbol}`).join(', ')} while this start waits for the venue; ` +
  `stops at the venue stay. sluice kill ${stateDir} --level flatten closes what is open`;

/** The interlocks of a run on a real account. Other modes have none. */
export class LiveStart {
  readonly #config: SluiceConfig;
  readonly #io: Io;
  readonly #reader: StartReader;
  readonly #machine: StartFacts;
  #presented: PresentedAccount | undefined;

  private constructor(config: SluiceConfig, io: Io, reader: StartReader, machine: StartFacts) {
    this.#config = config;
    this.#io = io;
    this.#reader = reader;
    this.#machine = machine;
  }

  /**
   * Checks the machine, before anything is sent to the venue.
   * @returns undefined in a mode without a real account
   * @throws SafetyRefusal
   */
  static async open(config: SluiceConfig, io: Io, ports: RunPorts): Promise<LiveStart | undefined> {
    if (config.mode !== 'live' && config.mode !== 'observe') return undefined;
    const reader = await StartReader.open({ ...io, ...ports, config });
    const machine = await reader.machine();
    refuseStart(machine, checkInterlocks(machine));
    return new LiveStart(config, io, reader, machine);
  }

  /**
   * Asks the venue, waits for it where it is down, and logs the warnings.
   * @throws SafetyRefusal
   */
  async askVenue(net: NodeNet, logger: Logger, withRetry: RetryPolicy): Promise<void> {
    const cancelWarning = this.#warnIfUnattended(logger);
    const readings = await this.#reader
      .venue(this.#machine, { net, logger, withRetry })
      .finally(cancelWarning);
    const facts = { ...this.#machine, venue: readings.facts };
    const results = checkInterlocks(facts);
    refuseStart(facts, results);
    for (const { id, result, found, mend } of results) {
      if (result === 'failed')
        logger.warn({ interlock: id }, `${id}: ${found}. Mend: ${mend ?? ''}`);
    }
    this.#presented = readings.presented;
  }

  /** A start that waits for the venue attends to no position. @returns how to cancel the warning */
  #warnIfUnattended(logger: Logger): Cancel {
    const { positions = [] } = this.#machine.machine.state;
    if (positions.length === 0) return () => undefined;
    return this.#io.scheduler.after(UNATTENDED_MS, () => {
      logger.error({}, unattendedText(positions, this.#config.stateDir));
    });
  }

  /** Stores the account of this start, when its state folder is locked. */
  async learnAccount(): Promise<void> {
    if (this.#presented === undefined) return;
    const { files } = this.#io;
    const { stateDir } = this.#config;
    const known = await readFingerprint(files, stateDir);
    const learned = learnedFingerprint(known, this.#presented, freshSecret());
    await writeFingerprint(files, stateDir, learned);
  }
}
