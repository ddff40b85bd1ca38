import type { AlertLevel } from '../alert/alert-kind.js';
import type { Notice } from '../alert/notice.js';
import { DeliveryError, type NotifyChannel } from './channel.js';
import { noticeJson } from './webhook-channel.js';

export interface ProgramSpec {
  readonly file: string;
  readonly args: readonly string[];
  /** Standard input. */
  readonly input: string;
  /** Real ms after which it is killed. */
  readonly timeoutMs: number;
}

/** Runs a program without a shell. @throws Error when it cannot start, is killed or exits with another code than 0 */
export type RunProgram = (spec: ProgramSpec) => Promise<void>;

export interface CommandSettings {
  /** Program and arguments. */
  readonly run: readonly string[];
  readonly timeoutMs: number;
  readonly levels: ReadonlySet<AlertLevel>;
}

/** Gives each notice to a program as one line of JSON on its standard input. One program runs at a time. */
export class CommandChannel implements NotifyChannel {
  readonly name = 'command';
  readonly levels: ReadonlySet<AlertLevel>;
  readonly #settings: CommandSettings;
  readonly #runProgram: RunProgram;

  constructor(settings: CommandSettings, runProgram: RunProgram) {
    this.levels = settings.levels;
    this.#settings = settings;
    this.#runProgram = runProgram;
  }

  async deliver(notice: Notice): Promise<void> {
    const { run, timeoutMs } = this.#settings;
    const [file = '', ...args] = run;
    try {
      await this.#runProgram({
        file,
        args,
        input: `${JSON.stringify(noticeJson(notice))}\n`,
        timeoutMs,
      });
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      throw new DeliveryError(`${file}: ${text}`, { cause: error });
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
