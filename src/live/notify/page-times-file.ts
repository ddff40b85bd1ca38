import { join } from 'node:path';
import { z } from 'zod';
import type { Files, Logger } from '../../core/ports.js';
import { NO_PAGES, type PageTimes } from '../../notify/alert/page-budget.js';

const schema = z.object({ pages: z.array(z.number()).max(100), collapsedAt: z.number() });

/** The times of the last pages, in the state folder: a restart does not begin a new hour. */
export class PageTimesFile {
  readonly #files: Files;
  readonly #path: string;
  readonly #logger: Logger;
  #writing: Promise<void> = Promise.resolve();

  constructor(files: Files, stateDir: string, logger: Logger) {
    this.#files = files;
    this.#path = join(stateDir, 'pages.json');
    this.#logger = logger;
  }

  /** A missing or damaged file counts as no pages: too many pages are better than none. */
  async read(): Promise<PageTimes> {
    const bytes = await this.#files.read(this.#path);
    if (bytes === undefined) return NO_PAGES;
    try {
      const parsed = schema.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
      return parsed.success ? parsed.data : NO_PAGES;
    } catch (error) {
      if (error instanceof SyntaxError) return NO_PAGES;
      throw error;
    }
  }

  /** In the background; a failure is logged. */
  write(times: PageTimes): void {
    const bytes = new TextEncoder().encode(`${JSON.stringify(times)}\n`);
    this.#writing = this.#writing
      .then(() => this.#files.replace(this.#path, bytes))
      .catch((error: unknown) => {
        this.#logger.warn({ error: String(error) }, `notify: ${this.#path} cannot be written`);
      });
  }

  /** Resolves when nothing is being written. */
  written(): Promise<void> {
    return this.#writing;
  }
}
