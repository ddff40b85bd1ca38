import type { Net } from '../../../src/core/ports.js';
import { ProbeTrader } from '../../../src/tools/probe/probe-trader.js';
import { runProbe, type AnsweredQuestion } from '../../../src/tools/probe/probe-run.js';
import type { ProbeQuestion } from '../../../src/tools/probe/probe-question.js';
import { ProbeHttpClient } from '../../../src/tools/probe/probe-http.js';
import { ProbeContext } from '../../../src/tools/probe/probe-context.js';
import type { Currency } from '../../../src/core/currency.js';
import { fixedFromText } from '../../../src/core/fixed/fixed.js';
import {
  resolveBehavior,
  type BehaviorOptions,
} from '../../../src/sandbox/behavior/behavior-choices.js';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.js';
import { createSandboxNet } from '../../../src/sandbox/sandbox-net.js';
import { createFuturesApi } from '../../../src/venue/futures-api/http/create-futures-api.js';
import { Secret } from '../../../src/venue/futures-api/http/secret.js';
import { BASE_URL, START_MS, WS_URL } from './bot-world.js';
import { seededRandom, VirtualTime } from '../fakes/virtual-time.js';

const SYMBOL = 'BTCUSDT';

/** A probe of a sandbox with chosen answers, on virtual time. */
export class ProbeRig {
  readonly time = new VirtualTime(START_MS);
  readonly sandbox: Sandbox;
  readonly currency: Currency;
  readonly net: Net;

  constructor(choice: BehaviorOptions = {}, currency: Currency = 'USDT') {
    const { assumptions, switches, faults, quirks } = resolveBehavior(choice);
    this.currency = currency;
    this.sandbox = createSandbox(
      { startMs: START_MS + 45 * 60_000, assumptions, switches, faults, quirks },
      { clock: this.time, scheduler: this.time },
    );
    this.sandbox.start();
    this.net = createSandboxNet(this.sandbox, {
      baseUrl: BASE_URL,
      wsUrl: WS_URL,
      scheduler: this.time,
    });
    this.sandbox.exchange.setLeverage(SYMBOL, currency, fixedFromText('2'));
  }

  get exchange() {
    return this.sandbox.exchange;
  }

  /** @param trades with minimum orders */
  async runQuestions(
    questions: readonly ProbeQuestion[] | undefined,
    trades: boolean,
  ): Promise<readonly AnsweredQuestion[]> {
    const context = this.#world();
    const trader = trades ? await this.#trader(context) : undefined;
    const run = runProbe({
      context,
      ...(trader !== undefined && { trader }),
      ...(questions !== undefined && { questions }),
    });
    const answered = await this.time.resolve(run, 3_600_000);
    const leftovers = trader === undefined ? [] : await this.time.resolve(trader.cleanUp(), 60_000);
    if (leftovers.length > 0) throw new Error(`left behind: ${leftovers.join(', ')}`);
    context.close();
    return answered;
  }

  #world(): ProbeContext {
    const { time } = this;
    const secret = new Secret(this.sandbox.secret);
    const parts = { net: this.net, clock: time, scheduler: time, secret };
    const wire = new ProbeHttpClient({ ...parts, baseUrl: BASE_URL });
    return new ProbeContext({
      ...parts,
      http: wire,
      symbol: SYMBOL,
      currency: this.currency,
      streamUrl: `${WS_URL}/fapi/v1/price/ws/linear`,
      localNowMs: () => time.utcMs(),
    });
  }

  async #trader(world: ProbeContext): Promise<ProbeTrader> {
    const { time } = this;
    const api = createFuturesApi({
      baseUrl: BASE_URL,
      secret: new Secret(this.sandbox.secret),
      net: this.net,
      clock: time,
      scheduler: time,
      random: seededRandom(1),
      logger: SILENT,
    });
    const outcome = await time.resolve(api.asset({ symbol: SYMBOL }));
    if (outcome.kind !== 'yes' || outcome.value.price === undefined) throw new Error('no asset');
    const { instrument, price } = outcome.value;
    return new ProbeTrader(world, { instrument, price, idPrefix: 'test' });
  }
}

const nothing = (): void => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };
