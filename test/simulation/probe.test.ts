import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Io } from '../../src/cli/command-io.js';
import { nodeFiles } from '../../src/io/node/node-files.js';
import { nodeFolders } from '../../src/io/node/node-folders.js';
import { probeCommand } from '../../src/cli/commands/probe/probe-command.js';
import type { ProbeQuestion } from '../../src/tools/probe/probe-question.js';
import {
  answerRow,
  unaskedAssumptions,
  venueProfileOf,
} from '../../src/tools/probe/probe-report.js';
import { QUESTIONS } from '../../src/tools/probe/probe-run.js';
import { fixedFromText } from '../../src/core/fixed/fixed.js';
import { ASSUMPTIONS } from '../../src/exchange/assumptions.js';
import {
  resolveBehavior,
  type BehaviorOptions,
} from '../../src/sandbox/behavior/behavior-choices.js';
import { QUIRKS } from '../../src/sandbox/behavior/quirks.js';
import { parseVenueProfile, venueProfileText } from '../../src/sandbox/behavior/venue-profile.js';
import { WIRE_ASSUMPTIONS } from '../../src/sandbox/behavior/wire-assumptions.js';
import { BASE_URL, WS_URL } from '../support/rigs/bot-world.js';
import { temporaryFolder } from '../support/rigs/cli-runner.js';
import { ProbeRig } from '../support/rigs/probe-rig.js';
import { seededRandom } from '../support/fakes/virtual-time.js';

const ENTRIES = [...ASSUMPTIONS, ...WIRE_ASSUMPTIONS];

/** A way to give a venue each answer of a question. */
interface Case {
  readonly question: ProbeQuestion;
  readonly answer: string;
  readonly choice: BehaviorOptions;
}

function casesOf(question: ProbeQuestion): readonly Case[] {
  const { id, kind } = question;
  if (kind === 'quirk') {
    return [
      { question, answer: 'off', choice: {} },
      { question, answer: 'on', choice: { quirks: [id] } },
    ];
  }
  const entry = ENTRIES.find((candidate) => candidate.id === id);
  if (entry === undefined) throw new Error(`${id} is in no table`);
  return [entry.default, entry.other].map((answer) => ({
    question,
    answer: String(answer),
    choice: { assume: { [id]: String(answer) } },
  }));
}

const order = (price: string) => ({
  terms: {
    symbol: 'BTCUSDT',
    currency: 'USDT',
    side: 'buy',
    type: 'limit',
    quantity: fixedFromText<'quantity'>('0.004'),
    price: fixedFromText<'price'>(price),
    reduceOnly: false,
  } as const,
});

/** What must have happened on the account before it can be answered. */
const BEFORE: Readonly<Record<string, (rig: ProbeRig) => void>> = {
  'wire-list-cap': ({ exchange }) => {
    for (let count = 0; count < 130; count += 1) {
      const placed = exchange.place(order('40000'));
      if (placed.ok) exchange.cancel({ orderId: placed.value.orderId });
    }
  },
  'wire-list-offset': ({ exchange }) => {
    const placed = exchange.place(order('40000'));
    if (placed.ok) exchange.cancel({ orderId: placed.value.orderId });
  },
  'wire-partial-cancel-amount': partlyFilled,
  'exchange-partial-cancel-status': partlyFilled,
};

function partlyFilled({ exchange }: ProbeRig): void {
  const placed = exchange.place(order('50000'));
  if (!placed.ok) throw new Error(placed.code);
  const ref = { orderId: placed.value.orderId };
  exchange.fillPart(ref, fixedFromText('0.001'));
  exchange.cancel(ref);
}

const probed = QUESTIONS.filter(({ kind }) => kind !== 'fact');
/** Needs neither a resting order nor a position. */
const readsAlone = ({ precondition, placesOrders }: ProbeQuestion): boolean =>
  placesOrders !== true && (precondition === 'any' || precondition === 'after');

describe('a probe', () => {
  it.each(probed.flatMap(casesOf).map((each) => ({ ...each, id: each.question.id })))(
    'finds out that $id is $answer',
    async ({ question, answer, choice, id }) => {
      const rig = new ProbeRig(choice, id === 'wire-inr-margin-text' ? 'INR' : 'USDT');
      BEFORE[id]?.(rig);
      const trades = !readsAlone(question) || id === 'exchange-rebates';
      const before = id === 'exchange-rebates' ? [traded, question] : [question];
      const answered = await rig.runQuestions(before, trades);
      const last = answered.at(-1);
      expect(last?.finding, last?.finding.evidence).toMatchObject({ answer });
    },
  );

  const traded = QUESTIONS.find(({ id }) => id === 'wire-partial-close-reply') as ProbeQuestion;

  it('by reads alone changes nothing, and keeps what it cannot know', async () => {
    const rig = new ProbeRig();
    const answered = await rig.runQuestions(undefined, false);
    expect(rig.exchange.allOrders()).toEqual([]);
    const rows = answered.map(answerRow);
    for (const { question, finding } of answered.filter(
      (each) => each.question.placesOrders === true,
    ))
      expect(finding, question.id).toMatchObject({ answer: undefined });
    expect(rows.find(({ id }) => id === 'wire-list-cap')).toMatchObject({
      answer: null,
      kept: '500',
      evidence: 'no list of the account has more than 100 rows',
    });
  });

  it('with minimum orders leaves the account as it was', async () => {
    const rig = new ProbeRig();
    const answered = await rig.runQuestions(undefined, true);
    expect(answered.filter(({ finding }) => finding.answer === undefined).length).toBeLessThan(6);
    const { exchange } = rig;
    expect([exchange.openOrders('USDT'), exchange.positions('USDT')]).toEqual([[], []]);
    expect(exchange.leverage('BTCUSDT', 'USDT')).toBe(fixedFromText('2'));
  });

  it('goes on past a venue that answers nonsense', async () => {
    const rig = new ProbeRig();
    rig.sandbox.stop();
    const answered = await rig.runQuestions(undefined, false);
    expect(answered).toHaveLength(QUESTIONS.length);
  });

  it('writes a profile that makes a sandbox like the venue', async () => {
    const choice = {
      assume: { 'wire-json-ping': 'pong', 'exchange-opposite-excess': 'drop' },
      quirks: ['foreign-close-position', 'interval-in-text'],
    };
    const answered = await new ProbeRig(choice).runQuestions(undefined, true);
    const profile = venueProfileOf(answered, { venue: BASE_URL, utcMs: 0 });
    expect(parseVenueProfile(venueProfileText(profile))).toEqual(profile);
    const { quirks, assumptions, switches } = resolveBehavior({ profile });
    expect(quirks).toEqual(choice.quirks.toReversed());
    expect(assumptions).toMatchObject({ oppositeExcess: 'drop' });
    expect(switches).toMatchObject({ jsonPing: 'pong' });
    const again = await new ProbeRig({ profile }).runQuestions(undefined, true);
    expect(venueProfileOf(again, { venue: BASE_URL, utcMs: 0 }).assumptions).toEqual(
      profile.assumptions,
    );
  });
});

describe('sluice probe --min-size', () => {
  const folder = temporaryFolder();
  afterAll(() => {
    folder.remove();
  });

  /** The command, on the rig's time and network. */
  function probing(rig: ProbeRig, typedLines: string, stopAt = 'never') {
    const secretFile = join(folder.path, 'secret');
    writeFileSync(secretFile, rig.sandbox.secret, { mode: 0o600 });
    let [stdout, stderr] = ['', ''];
    let press = (): void => undefined;
    const io: Io = {
      stdout: (text) => void (stdout += text),
      stderr: (text) => {
        stderr += text;
        if (text.startsWith(stopAt)) press();
      },
      isTerminal: false,
      env: {},
      onSignal: (listener) => {
        press = () => {
          listener('SIGINT');
        };
        return () => undefined;
      },
      clock: rig.time,
      scheduler: rig.time,
      random: seededRandom(1),
      files: nodeFiles,
      folders: nodeFolders,
      // Not from a terminal: what counts is the word.
      keyboard: { isTerminal: false, readLine: () => Promise.resolve(typedLines) },
    };
    const net = { ...rig.net, close: () => Promise.resolve() };
    const options = { baseUrl: BASE_URL, wsUrl: WS_URL, secretFile, json: true, debug: false };
    const command = probeCommand({ ...options, minSize: true, symbol: 'BTCUSDT' }, io, net);
    return rig.time
      .resolve(command, 3_600_000)
      .then((exitCode) => ({ exitCode, stdout, stderr, printed: JSON.parse(stdout) }));
  }

  const faults = (rig: ProbeRig, rules: readonly object[]) =>
    rig.time.resolve(
      rig.sandbox.handle({
        method: 'PUT',
        path: '/sandbox/faults',
        query: '',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(rules),
      }),
    );

  it('opens, asks and takes everything back', async () => {
    const rig = new ProbeRig({ assume: { 'wire-partial-close-reply': 'object' } });
    const { exitCode, printed, stderr } = await probing(rig, 'minimum');
    expect(exitCode).toBe(0);
    expect(stderr).toContain('positions of 0.002 BTCUSDT at the market');
    expect(printed.profile.assumptions).toMatchObject({ 'wire-partial-close-reply': 'object' });
    expect(rig.exchange.positions('USDT')).toEqual([]);
    expect(rig.exchange.openOrders('USDT')).toEqual([]);
  });

  it('takes back an order whose answer was lost', async () => {
    const rig = new ProbeRig();
    await faults(rig, [{ on: 'POST /fapi/v2/futures/order', fault: 'resp_lost', count: 1 }]);
    const { exitCode } = await probing(rig, 'minimum');
    expect(exitCode).toBe(0);
    expect(rig.exchange.openOrders('USDT')).toEqual([]);
  });

  it('takes everything back when it is stopped', async () => {
    const rig = new ProbeRig();
    const { exitCode, printed } = await probing(rig, 'minimum', 'stale-stop');
    expect(exitCode).toBe(0);
    expect(printed.profile.notes).toContain(
      'wire-reverse-quantity: not answered: the probe was stopped',
    );
    expect([rig.exchange.openOrders('USDT'), rig.exchange.positions('USDT')]).toEqual([[], []]);
  });

  it('names the orders that it could not cancel', async () => {
    const rig = new ProbeRig();
    await faults(rig, [{ on: 'DELETE /futures/orders/*', fault: 'html_404' }]);
    await expect(probing(rig, 'minimum')).rejects.toThrow(/could not close .*order .*manually now/);
  });

  it('sends nothing for another word', async () => {
    const rig = new ProbeRig();
    await expect(probing(rig, 'yes')).rejects.toThrow('not confirmed: nothing was sent');
    expect(rig.exchange.allOrders()).toEqual([]);
  });
});

describe('the questions of a probe', () => {
  it('have ids of the tables, each once', () => {
    const ids = QUESTIONS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const known = [...ENTRIES.map(({ id }) => id), ...QUIRKS.map(({ name }) => name)];
    for (const { id, kind } of QUESTIONS) if (kind !== 'fact') expect(known).toContain(id);
  });

  it('say what each answer of the table means', () => {
    for (const question of probed) {
      const answers = casesOf(question).map(({ answer }) => answer);
      expect(Object.keys(question.answers).sort(), question.id).toEqual(answers.sort());
    }
  });

  it('leave out by name what cannot be arranged', () => {
    const answered = QUESTIONS.map((question) => ({
      question,
      finding: { answer: undefined, evidence: '' },
    }));
    expect(unaskedAssumptions(answered)).toContain('exchange-liquidation-fee');
    expect(unaskedAssumptions(answered)).not.toContain('wire-json-ping');
  });
});
