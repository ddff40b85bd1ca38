import type { Case } from './case-registry.js';
import { createHttpDriver, type HttpDriver } from './http-driver.js';
import { Pacer } from './pacer.js';
import { Session } from './session.js';
import type { Target } from './target.js';
import { cleanUp } from './clean-up.js';
import { Skip, type VenueDriver, type VenueUnderTest } from './venue-under-test.js';

export type Result =
  | { readonly kind: 'passed'; readonly case: Case }
  | { readonly kind: 'skipped'; readonly case: Case; readonly reason: string }
  | { readonly kind: 'failed'; readonly case: Case; readonly error: Error };

export const DEFAULT_SYMBOLS: VenueUnderTest['symbols'] = { first: 'XRPUSDT', second: 'ADAUSDT' };

/** The cases against one venue, through one driver. */
export class Suite {
  readonly #target: Target;
  readonly #plain: HttpDriver;
  readonly #pacer: Pacer;
  readonly #driver: VenueDriver;
  readonly #symbols: VenueUnderTest['symbols'];
  readonly #opened: number[] = [];

  constructor(
    target: Target,
    makeDriver: (plain: VenueDriver) => VenueDriver = (plain) => plain,
    symbols: VenueUnderTest['symbols'] = DEFAULT_SYMBOLS,
  ) {
    this.#target = target;
    this.#symbols = symbols;
    this.#pacer = new Pacer(target.time);
    this.#plain = createHttpDriver({
      ...target,
      ...(target.limits ? { pace: this.#pacer.pace } : {}),
    });
    this.#driver = makeDriver(this.#plain);
  }

  async run(test: Case): Promise<Result> {
    if (test.limits && !this.#target.limits) {
      return { kind: 'skipped', case: test, reason: "the venue's limits are off" };
    }
    const result = await this.#runCase(test);
    return result;
  }

  async close(): Promise<void> {
    await this.#plain.close();
    await this.#target.close();
  }

  async #runCase(test: Case): Promise<Result> {
    const { session } = this.#open(test);
    this.#pacer.open = test.limits;
    session.unpaced = test.limits;
    try {
      await test.run(session);
      return { kind: 'passed', case: test };
    } catch (error) {
      if (error instanceof Skip) return { kind: 'skipped', case: test, reason: error.message };
      const failure = error instanceof Error ? error : new Error(String(error));
      return { kind: 'failed', case: test, error: failure };
    } finally {
      this.#pacer.open = false;
      await this.#revertControls(session);
    }
  }

  #open(test: Case): { session: Session } {
    const options = {
      target: this.#target,
      driver: this.#driver,
      plain: this.#plain,
      symbols: this.#symbols,
    };
    return { session: new Session(options, this.#opened, test.readOnly) };
  }

  async #revertControls(session: Session): Promise<void> {
    await session.end();
    if (!session.wrote) return;
    await cleanUp(this.#plain, (ms) => this.#target.time.wait(ms));
    if (!this.#target.controls) return;
    for (const symbol of Object.values(this.#symbols)) await session.controls?.releasePrice(symbol);
  }
}
