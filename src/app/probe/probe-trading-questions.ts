import { add, fixedFromText, textFromFixed } from '../../core/fixed.js';
import type { ProbeDesk } from './probe-desk.js';
import { found, unanswered, whether, type Finding, type Question } from './probe-question.js';
import type { ProbeWorld } from './probe-world.js';
import { shownAnswer, textUnder, under, type RawAnswer } from './probe-wire.js';

const ORDERS = '/fapi/v1/futures/orders';
const FUTURES = '/fapi/v1/futures';

const isYes = ({ status, json }: RawAnswer): boolean =>
  status < 300 && under(json, 'success') === true;

/** What the venue answered is one of two, or nothing that can be read. */
function byAnswer(answer: RawAnswer, yes: string, no: string): Finding {
  if (isYes(answer)) return found(yes, shownAnswer(answer));
  const refused = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
  return refused ? found(no, shownAnswer(answer)) : unanswered(shownAnswer(answer));
}

type TradingAsk = (desk: ProbeDesk, world: ProbeWorld) => Promise<Finding>;

const trading = (
  question: Omit<Question, 'ask' | 'trades'> & { readonly ask: TradingAsk },
): Question => ({
  ...question,
  trades: true,
  ask: (world, desk) =>
    desk === undefined
      ? Promise.resolve(unanswered('asked under --min-size only'))
      : question.ask(desk, world),
});

/** Answered by minimum orders. A position of their own stands before each of those that need one. */
export const TRADING_QUESTIONS: readonly Question[] = [
  trading({
    id: 'read-lag',
    kind: 'quirk',
    moment: 'resting',
    how: 'place a limit order and read it at once',
    answers: { off: 'reads show it', on: 'reads show it only later' },
    async ask(desk, { wire }) {
      const { orderId } = await desk.rest();
      const answer = await wire.get(`${ORDERS}/detail`, { query: { order_id: orderId } });
      await desk.cancel(orderId);
      return byAnswer(answer, 'off', 'on');
    },
  }),
  trading({
    id: 'exchange-id-burn',
    kind: 'assumption',
    moment: 'resting',
    how: 'give a client id to an order that is refused for its size, then to a good one',
    answers: { never: 'the good one is taken', 'on-hard-reject': 'the id is used up: 409' },
    async ask(desk) {
      const id = { client_order_id: desk.newClientId() };
      const refused = await desk.place('LONG', '0.00000001', desk.away(-20), id);
      if (isYes(refused)) return unanswered('an order of 1e-8 was taken');
      const answer = await desk.place('LONG', desk.units(1), desk.away(-20), id);
      const orderId = textUnder(answer.json, 'data', 'order_id');
      if (orderId !== undefined) await desk.cancel(orderId);
      return byAnswer(answer, 'never', 'on-hard-reject');
    },
  }),
  trading({
    id: 'wire-leg-cancel-reply',
    kind: 'assumption',
    moment: 'open',
    how: 'set a stop, cancel it by its id and look at the answer',
    answers: { empty: 'it holds empty texts', filled: 'it names the order' },
    async ask(desk) {
      const { positionId, long } = await desk.ensurePosition();
      const set = await desk.setStop(positionId, desk.away(long ? -20 : 20));
      const stop = await desk.stopOf();
      if (stop === undefined) return unanswered(shownAnswer(set));
      const answer = await desk.cancel(stop);
      if (!isYes(answer)) return unanswered(shownAnswer(answer));
      const named = (textUnder(answer.json, 'data', 'order_id') ?? '') !== '';
      return found(named ? 'filled' : 'empty', shownAnswer(answer));
    },
  }),
  trading({
    id: 'stale-stop',
    kind: 'quirk',
    moment: 'open',
    how: 'set a stop, cancel it, and look at the position',
    answers: { off: 'the stop is gone from it', on: 'the row still shows it' },
    async ask(desk) {
      const { positionId, long } = await desk.ensurePosition();
      const set = await desk.setStop(positionId, desk.away(long ? -20 : 20));
      const stop = await desk.stopOf();
      if (stop === undefined) return unanswered(shownAnswer(set));
      await desk.cancel(stop);
      const shown = await desk.stopOf();
      return whether(shown === stop, `the row shows ${shown ?? 'no stop'}`);
    },
  }),
  trading({
    id: 'exchange-leg-on-existing',
    kind: 'assumption',
    moment: 'open',
    how: 'set a stop on a position that has one',
    answers: { replace: 'it takes the place of the first', refuse: 'it is refused' },
    async ask(desk) {
      const { positionId, long } = await desk.ensurePosition();
      await desk.setStop(positionId, desk.away(long ? -20 : 20));
      const answer = await desk.setStop(positionId, desk.away(long ? -25 : 25));
      await cancelStop(desk);
      return byAnswer(answer, 'replace', 'refuse');
    },
  }),
  trading({
    id: 'exchange-leg-price-step',
    kind: 'assumption',
    moment: 'open',
    how: 'set a stop beside the price step',
    answers: { any: 'it is taken', checked: 'it is refused' },
    async ask(desk) {
      const { positionId, long } = await desk.ensurePosition();
      const answer = await desk.setStop(positionId, desk.offStep(long ? -20 : 20));
      await cancelStop(desk);
      return byAnswer(answer, 'any', 'checked');
    },
  }),
  trading({
    id: 'wire-partial-close-reply',
    kind: 'assumption',
    moment: 'open',
    how: 'close the smaller half of the position',
    answers: { true: 'data is true', object: 'data holds order_id, position_id and quantity' },
    async ask(desk) {
      const { positionId, quantity } = await desk.ensurePosition();
      const body = { order_type: 'MARKET', quantity: desk.units(1) };
      const answer = await desk.act(positionId, 'close/partial', body);
      await desk.until((now) => now?.quantity !== quantity);
      if (!isYes(answer)) return unanswered(shownAnswer(answer));
      const data = under(answer.json, 'data');
      return found(data === true ? 'true' : 'object', shownAnswer(answer));
    },
  }),
  trading({
    id: 'exchange-leverage-while-open',
    kind: 'assumption',
    moment: 'open',
    how: 'set another leverage while the position is open, then the old one',
    answers: { 'later-orders': 'it is taken', refused: 'it is refused' },
    async ask(desk, { wire, symbol, currency }) {
      await desk.ensurePosition();
      const path = `${FUTURES}/${symbol}/leverage`;
      const query = { is_symbol: '1' };
      const before = await wire.get(path, { query: { ...query, trade_currency: currency } });
      const leverage = Number(textUnder(before.json, 'data', 'leverage'));
      const set = (value: number) =>
        wire.send('POST', path, { query, body: { leverage: value, trade_currency: currency } });
      const answer = await set(leverage + 1);
      if (isYes(answer)) await set(leverage);
      return byAnswer(answer, 'later-orders', 'refused');
    },
  }),
  trading({
    id: 'wire-reverse-quantity',
    kind: 'assumption',
    moment: 'open',
    how: 'reverse the position and look at the quantity of the answer',
    answers: { open: 'what was open', twice: 'twice that' },
    async ask(desk) {
      const { positionId, quantity, long } = await desk.ensurePosition();
      const answer = await desk.act(positionId, 'reverse');
      await desk.until((now) => now !== undefined && now.long !== long);
      const told = Number(textUnder(answer.json, 'data', 'quantity'));
      if (told === Number(quantity)) return found('open', shownAnswer(answer));
      const twice = told === 2 * Number(quantity);
      return twice ? found('twice', shownAnswer(answer)) : unanswered(shownAnswer(answer));
    },
  }),
  trading({
    id: 'exchange-opposite-excess',
    kind: 'assumption',
    moment: 'open',
    how: 'sell twice what is held, or buy it back twice',
    answers: { flip: 'the excess opens the other side', drop: 'the excess does nothing' },
    async ask(desk) {
      const { quantity, long } = await desk.ensurePosition();
      const answer = await desk.place(long ? 'SHORT' : 'LONG', twice(quantity));
      const after = await desk.until((now) => now?.long !== long);
      if (after !== undefined && after.long === long) return unanswered(shownAnswer(answer));
      return found(
        after === undefined ? 'drop' : 'flip',
        after === undefined ? 'flat' : 'on the other side',
      );
    },
  }),
  trading({
    id: 'exchange-flip-position-id',
    kind: 'assumption',
    moment: 'open',
    how: 'the same, and compare the position ids',
    answers: { same: 'the position keeps its id', new: 'it is another position' },
    async ask(desk) {
      const { positionId, quantity, long } = await desk.ensurePosition();
      const answer = await desk.place(long ? 'SHORT' : 'LONG', twice(quantity));
      const after = await desk.until((now) => now?.long !== long);
      if (after === undefined || after.long === long) return unanswered(shownAnswer(answer));
      const same = after.positionId === positionId;
      return found(same ? 'same' : 'new', `${positionId} → ${after.positionId}`);
    },
  }),
  trading({
    id: 'exchange-legs-at-close',
    kind: 'assumption',
    moment: 'open',
    how: 'set a stop, close the position and read the stop',
    answers: { cancel: 'it is canceled', keep: 'it stays open' },
    async ask(desk, { wire }) {
      const { positionId, long } = await desk.ensurePosition();
      const set = await desk.setStop(positionId, desk.away(long ? -20 : 20));
      const stop = await desk.stopOf();
      if (stop === undefined) return unanswered(shownAnswer(set));
      await desk.act(positionId, 'close');
      await desk.until((now) => now === undefined);
      const answer = await wire.get(`${ORDERS}/detail`, { query: { order_id: stop } });
      const status = textUnder(answer.json, 'data', 'status');
      if (status === undefined) return unanswered(shownAnswer(answer));
      if (status === 'CREATED') await desk.cancel(stop);
      return found(status === 'CREATED' ? 'keep' : 'cancel', status);
    },
  }),
  trading({
    id: 'exchange-reduce-only-at-close',
    kind: 'assumption',
    moment: 'open',
    how: 'rest a reduce-only order, close the position and read the order',
    answers: { cancel: 'it is canceled', keep: 'it stays open' },
    async ask(desk, { wire }) {
      const { positionId, long } = await desk.ensurePosition();
      const side = long ? 'SHORT' : 'LONG';
      const price = desk.away(long ? 20 : -20);
      const placed = await desk.place(side, desk.units(1), price, { reduce_only: true });
      const orderId = textUnder(placed.json, 'data', 'order_id');
      if (orderId === undefined) return unanswered(shownAnswer(placed));
      await desk.act(positionId, 'close');
      await desk.until((now) => now === undefined);
      const answer = await wire.get(`${ORDERS}/detail`, { query: { order_id: orderId } });
      const status = textUnder(answer.json, 'data', 'status');
      if (status === undefined) return unanswered(shownAnswer(answer));
      if (status === 'CREATED') await desk.cancel(orderId);
      return found(status === 'CREATED' ? 'keep' : 'cancel', status);
    },
  }),
  trading({
    id: 'foreign-close-position',
    kind: 'quirk',
    moment: 'open',
    how: 'close the position and compare the position_id of the answer',
    answers: { off: 'it is the one of the path', on: 'it is another' },
    async ask(desk) {
      const { positionId } = await desk.ensurePosition();
      const answer = await desk.act(positionId, 'close');
      await desk.until((now) => now === undefined);
      const told = textUnder(answer.json, 'data', 'position_id');
      if (told === undefined) return unanswered(shownAnswer(answer));
      return whether(told !== positionId, `${positionId} → ${told}`);
    },
  }),
];

async function cancelStop(desk: ProbeDesk): Promise<void> {
  const stop = await desk.stopOf();
  if (stop !== undefined) await desk.cancel(stop);
}

const twice = (quantity: string): string => {
  const held = fixedFromText<'quantity'>(quantity);
  return textFromFixed(add(held, held));
};
