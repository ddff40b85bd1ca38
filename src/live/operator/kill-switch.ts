import type { Files, Logger } from '../../core/ports.js';
import type { Bot } from '../bot/bot.js';
import {
  hasEnded,
  isStronger,
  killFileIn,
  readKillFile,
  removeKillFile,
  strongerSetting,
  writeKillFile,
  type KillSetting,
} from '../state/kill-file.js';
import { OperatorRequestError } from './operator-protocol.js';

export interface KillSwitchParts {
  readonly files: Files;
  readonly stateDir: string;
  readonly bot: Pick<Bot, 'command' | 'engine' | 'flushJournal' | 'venueTimeIn'>;
  readonly logger: Logger;
}

/**
 * The kill switch of a running daemon (control R30): the file that makes it stand over restarts, and the command
 * that the engine obeys. Changes follow one another, so that a check of the file never undoes a resume.
 */
export class KillSwitch {
  readonly #parts: KillSwitchParts;
  #queue: Promise<unknown> = Promise.resolve();
  #standing: KillSetting | undefined;
  #hasCheckFailed = false;
  /** The removed setting of a resume that waits for the reconciliation. */
  #resuming: KillSetting | undefined;

  constructor(parts: KillSwitchParts) {
    this.#parts = parts;
  }

  /** As last read or set; undefined: off. */
  get standing(): KillSetting | undefined {
    return this.#standing;
  }

  get path(): string {
    return killFileIn(this.#parts.stateDir);
  }

  /** Reads the file at a start. A pause whose time has passed is removed. */
  read(): Promise<KillSetting | undefined> {
    return this.#enqueue(async () => {
      const { files, stateDir } = this.#parts;
      this.#standing = await readKillFile(files, stateDir);
      if (this.#standing !== undefined && this.#isOver(this.#standing)) await this.#remove();
      return this.#standing;
    });
  }

  /**
   * Sets the level, or keeps a stronger one. The command and the file are durable when it resolves.
   * @returns the setting that stands now
   * @throws when the file cannot be written: the level applies, but not to the next start
   */
  set(asked: KillSetting, reason: string): Promise<KillSetting> {
    return this.#enqueue(async () => {
      const { files, stateDir, bot } = this.#parts;
      const found = await readKillFile(files, stateDir).catch(() => this.#standing);
      const setting = strongerSetting(found, asked);
      // A disk that is full must not keep the level from the engine.
      const written = await writeKillFile(files, stateDir, setting).then(
        () => undefined,
        (error: unknown) => new Error(`${this.path} cannot be written`, { cause: error }),
      );
      this.#standing = setting;
      this.#resuming = undefined;
      bot.command({ kind: 'kill', level: setting.level, reason });
      await bot.flushJournal();
      if (written !== undefined) throw written;
      return setting;
    });
  }

  /**
   * Removes the file, then re-arms. The command is durable when it resolves. A level that the engine keeps keeps its
   * file: the next start would trade without it.
   * @throws OperatorRequestError where the engine refuses the command
   */
  resume(reason?: string): Promise<void> {
    return this.#enqueue(async () => {
      const { bot } = this.#parts;
      const level = bot.engine.killLevel ?? this.#standing?.level;
      const setting = this.#standing ?? (level && { level });
      const objection = setting && bot.engine.resumeObjection({});
      if (objection !== undefined) throw refusal(objection);
      await this.#remove();
      this.#resuming = setting;
      bot.command({ kind: 'resume', ...(reason !== undefined && { reason }) });
      await bot.flushJournal();
      const refused = await this.#restoreIfRefused();
      if (refused !== undefined) throw refusal(refused);
    });
  }

  /** Obeys a file that a person has written or changed. Called about once a second. */
  check(): Promise<void> {
    return this.#enqueue(async () => {
      const { files, stateDir, bot, logger } = this.#parts;
      let access = 'written';
      try {
        const refused = await this.#restoreIfRefused();
        if (refused !== undefined) logger.warn({}, `resume: is refused: ${refused}`);
        access = 'read';
        const found = await readKillFile(files, stateDir);
        this.#hasCheckFailed = false;
        if (found === undefined) return;
        if (this.#isOver(found)) {
          await this.#remove();
          bot.command({ kind: 'resume' });
          return;
        }
        this.#standing = found;
        const { killLevel } = bot.engine;
        if (killLevel !== undefined && !isStronger(found.level, killLevel)) return;
        bot.command({ kind: 'kill', level: found.level, reason: `${this.path} was found` });
      } catch (error) {
        if (!this.#hasCheckFailed)
          logger.warn({ error: String(error) }, `${this.path} cannot be ${access}`);
        this.#hasCheckFailed = true;
      }
    });
  }

  /** @returns why the engine has kept the level of the last resume; undefined: it has not, or not decided yet */
  async #restoreIfRefused(): Promise<string | undefined> {
    const { files, stateDir, bot } = this.#parts;
    const setting = this.#resuming;
    const { killLevel, isReady, haltReason } = bot.engine;
    if (setting === undefined) return undefined;
    if (killLevel !== undefined && !isReady && haltReason === undefined) return undefined;
    if (killLevel !== undefined) {
      // A person may have written a file meanwhile.
      const kept = strongerSetting(await readKillFile(files, stateDir), setting);
      await writeKillFile(files, stateDir, kept);
      this.#standing = kept;
    }
    // Only now: a disk that is full is tried again.
    this.#resuming = undefined;
    if (killLevel === undefined) return undefined;
    return bot.engine.resumeObjection({}) ?? `the kill switch stands (${killLevel})`;
  }

  async #remove(): Promise<void> {
    const { files, stateDir } = this.#parts;
    await removeKillFile(files, stateDir);
    this.#standing = undefined;
  }

  #isOver(setting: KillSetting): boolean {
    return hasEnded(setting, this.#parts.bot.venueTimeIn(0));
  }

  #enqueue<T>(run: () => Promise<T>): Promise<T> {
    const next = this.#queue.then(run, run);
    this.#queue = next.catch(() => undefined);
    return next;
  }
}

const refusal = (objection: string): OperatorRequestError =>
  new OperatorRequestError('refused', `the kill switch is not ended: ${objection}`);
