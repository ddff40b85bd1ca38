import type { Net } from '../../src/core/ports.js';
import { ProbeDesk } from '../../src/app/probe/probe-desk.js';
import { runProbe, type Answered } from '../../src/app/probe/probe-run.js';
import type { Question } from '../../src/app/probe/probe-question.js';
import { ProbeWire } from '../../src/app/probe/probe-wire.js';
import { ProbeWorld } from '../../src/app/probe/probe-world.js';
import type { Currency } from '../../src/core/currency.js';
import { fixedFromText } from '../../src/core/fixed.js';
import { answersOf, type AnswerChoice } from '../../src/sandbox/answers.js';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.js';
import { createSandboxNet } from '../../src/sandbox/sandbox-net.js';
import { createFuturesApi } from '../../src/venue/futures-api/create-futures-api.js';
import { Secret } from '../../src/venue/futures-api/secret.js';
import { BASE_URL, START_MS, WS_URL } from './bot-world.js';
import { seededRandom, VirtualTime } from './virtual-time.js';

const SYMBOL = 'BTCUSDT';

/** A probe of a sandbox with chosen answers, on virtual time. */
export class ProbeRig {
  readonly time = new VirtualTime(START_MS);
  readonly sandbox: Sandbox;
  readonly currency: Currency;
  readonly net: Net;

  constructor(choice: AnswerChoice = {}, currency: Currency = 'USDT') {
    const { assumptions, switches, faults, quirks } = answersOf(choice);
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
  async ask(
    questions: readonly Question[] | undefined,
    trades: boolean,
  ): Promise<readonly Answered[]> {
    const world = this.#world();
    const desk = trades ? await this.#desk(world) : undefined;
    const run = runProbe({
      world,
      ...(desk !== undefined && { desk }),
      ...(questions !== undefined && { questions }),
    });
    const answered = await this.time.resolve(run, 3_600_000);
    const left = desk === undefined ? [] : await this.time.resolve(desk.cleanUp(), 60_000);
    if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
    world.close();
    return answered;
  }

  #world(): ProbeWorld {
    const { time } = this;
    const secret = new Secret(this.sandbox.secret);
    const parts = { net: this.net, clock: time, scheduler: time, secret };
    const wire = new ProbeWire({ ...parts, baseUrl: BASE_URL });
    return new ProbeWorld({
      ...parts,
      wire,
      symbol: SYMBOL,
      currency: this.currency,
      streamUrl: `${WS_URL}/fapi/v1/price/ws/linear`,
      localNowMs: () => time.utcMs(),
    });
  }

  async #desk(world: ProbeWorld): Promise<ProbeDesk> {
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
    return new ProbeDesk(world, { instrument, price, stamp: 'test' });
  }
}

const nothing = (): void => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };
