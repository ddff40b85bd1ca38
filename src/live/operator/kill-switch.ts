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
  #hasReadFailed = false;

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
      bot.command({ kind: 'kill', level: setting.level, reason });
      await bot.flushJournal();
      if (written !== undefined) throw written;
      return setting;
    });
  }

  /** Removes the file, then re-arms. The command is durable when it resolves. */
  resume(reason?: string): Promise<void> {
    return this.#enqueue(async () => {
      await this.#remove();
      this.#parts.bot.command({ kind: 'resume', ...(reason !== undefined && { reason }) });
      await this.#parts.bot.flushJournal();
    });
  }

  /** Obeys a file that a person has written or changed. Called about once a second. */
  check(): Promise<void> {
    return this.#enqueue(async () => {
      const { files, stateDir, bot, logger } = this.#parts;
      try {
        const found = await readKillFile(files, stateDir);
        this.#hasReadFailed = false;
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
        if (!this.#hasReadFailed)
          logger.warn({ error: String(error) }, `${this.path} cannot be read`);
        this.#hasReadFailed = true;
      }
    });
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
