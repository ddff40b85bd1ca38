import { add, fixedFromText, textFromFixed } from '../../core/fixed/fixed.js';
import type { ProbeTrader } from './probe-trader.js';
import {
  probeFinding,
  unanswered,
  quirkFinding,
  type ProbeFinding,
  type ProbeQuestion,
} from './probe-question.js';
import type { ProbeContext } from './probe-context.js';
import { responseText, textAt, valueAt, type ProbeResponse } from './probe-http.js';

const ORDERS = '/fapi/v1/futures/orders';
const FUTURES = '/fapi/v1/futures';

const isAccepted = ({ status, json }: ProbeResponse): boolean =>
  status < 300 && valueAt(json, 'success') === true;

/** Maps an accepted and a refused request to an answer; other responses stay unanswered. */
function findingByResponse(
  answer: ProbeResponse,
  ifAccepted: string,
  ifRefused: string,
): ProbeFinding {
  if (isAccepted(answer)) return probeFinding(ifAccepted, responseText(answer));
  const refused = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
  return refused ? probeFinding(ifRefused, responseText(answer)) : unanswered(responseText(answer));
}

type AskWithTrader = (trader: ProbeTrader, context: ProbeContext) => Promise<ProbeFinding>;

const tradingQuestion = (
  question: Omit<ProbeQuestion, 'ask' | 'placesOrders'> & { readonly ask: AskWithTrader },
): ProbeQuestion => ({
  ...question,
  placesOrders: true,
  ask: (context, trader) =>
    trader === undefined
      ? Promise.resolve(unanswered('asked under --min-size only'))
      : question.ask(trader, context),
});

/** Answered by minimum orders. Questions that need a position get one of the probe. */
export const TRADING_QUESTIONS: readonly ProbeQuestion[] = [
  tradingQuestion({
    id: 'read-lag',
    kind: 'quirk',
    precondition: 'resting',
    how: 'place a limit order and read it at once',
    answers: { off: 'reads show it', on: 'reads show it only later' },
    async ask(trader, { http }) {
      const { orderId } = await trader.placeRestingOrder();
      const response = await http.get(`${ORDERS}/detail`, { query: { order_id: orderId } });
      await trader.cancel(orderId);
      return findingByResponse(response, 'off', 'on');
    },
  }),
  tradingQuestion({
    id: 'exchange-id-burn',
    kind: 'assumption',
    precondition: 'resting',
    how: 'give a client id to an order that is refused for its size, then to a valid one',
    answers: { never: 'the valid one is accepted', 'on-hard-reject': 'the id is used up: 409' },
    async ask(trader) {
      const id = { client_order_id: trader.newClientId() };
      const refused = await trader.place('LONG', '0.00000001', trader.priceAway(-20), id);
      if (isAccepted(refused)) return unanswered('an order of 1e-8 was accepted');
      const response = await trader.place('LONG', trader.units(1), trader.priceAway(-20), id);
      const orderId = textAt(response.json, 'data', 'order_id');
      if (orderId !== undefined) await trader.cancel(orderId);
      return findingByResponse(response, 'never', 'on-hard-reject');
    },
  }),
  tradingQuestion({
    id: 'wire-leg-cancel-reply',
    kind: 'assumption',
    precondition: 'open',
    how: 'set a stop, cancel it by its id and look at the answer',
    answers: { empty: 'it holds empty texts', filled: 'it names the order' },
    async ask(trader) {
      const { positionId, isLong } = await trader.ensurePosition();
      const set = await trader.setStop(positionId, trader.priceAway(isLong ? -20 : 20));
      const stop = await trader.stopOrderId();
      if (stop === undefined) return unanswered(responseText(set));
      const response = await trader.cancel(stop);
      if (!isAccepted(response)) return unanswered(responseText(response));
      const named = (textAt(response.json, 'data', 'order_id') ?? '') !== '';
      return probeFinding(named ? 'filled' : 'empty', responseText(response));
    },
  }),
  tradingQuestion({
    id: 'stale-stop',
    kind: 'quirk',
    precondition: 'open',
    how: 'set a stop, cancel it, and look at the position',
    answers: { off: 'the stop is gone from it', on: 'the row still shows it' },
    async ask(trader) {
      const { positionId, isLong } = await trader.ensurePosition();
      const set = await trader.setStop(positionId, trader.priceAway(isLong ? -20 : 20));
      const stop = await trader.stopOrderId();
      if (stop === undefined) return unanswered(responseText(set));
      await trader.cancel(stop);
      const stopAfterCancel = await trader.stopOrderId();
      return quirkFinding(
        stopAfterCancel === stop,
        `the row shows ${stopAfterCancel ?? 'no stop'}`,
      );
    },
  }),
  tradingQuestion({
    id: 'exchange-leg-on-existing',
    kind: 'assumption',
    precondition: 'open',
    how: 'set a stop on a position that has one',
    answers: { replace: 'it replaces the first', refuse: 'it is refused' },
    async ask(trader) {
      const { positionId, isLong } = await trader.ensurePosition();
      await trader.setStop(positionId, trader.priceAway(isLong ? -20 : 20));
      const response = await trader.setStop(positionId, trader.priceAway(isLong ? -25 : 25));
      await cancelStop(trader);
      return findingByResponse(response, 'replace', 'refuse');
    },
  }),
  tradingQuestion({
    id: 'exchange-leg-price-step',
    kind: 'assumption',
    precondition: 'open',
    how: 'set a stop off the price step',
    answers: { any: 'it is accepted', checked: 'it is refused' },
    async ask(trader) {
      const { positionId, isLong } = await trader.ensurePosition();
      const response = await trader.setStop(positionId, trader.priceOffStep(isLong ? -20 : 20));
      await cancelStop(trader);
      return findingByResponse(response, 'any', 'checked');
    },
  }),
  tradingQuestion({
    id: 'wire-partial-close-reply',
    kind: 'assumption',
    precondition: 'open',
    how: 'close the smaller half of the position',
    answers: { true: 'data is true', object: 'data holds order_id, position_id and quantity' },
    async ask(trader) {
      const { positionId, quantity } = await trader.ensurePosition();
      const body = { order_type: 'MARKET', quantity: trader.units(1) };
      const response = await trader.positionAction(positionId, 'close/partial', body);
      await trader.waitForPosition((now) => now?.quantity !== quantity);
      if (!isAccepted(response)) return unanswered(responseText(response));
      const data = valueAt(response.json, 'data');
      return probeFinding(data === true ? 'true' : 'object', responseText(response));
    },
  }),
  tradingQuestion({
    id: 'exchange-leverage-while-open',
    kind: 'assumption',
    precondition: 'open',
    how: 'set another leverage while the position is open, then the old one',
    answers: { 'later-orders': 'it is accepted', refused: 'it is refused' },
    async ask(trader, { http, symbol, currency }) {
      await trader.ensurePosition();
      const path = `${FUTURES}/${symbol}/leverage`;
      const query = { is_symbol: '1' };
      const before = await http.get(path, { query: { ...query, trade_currency: currency } });
      const leverage = Number(textAt(before.json, 'data', 'leverage'));
      const set = (value: number) =>
        http.send('POST', path, { query, body: { leverage: value, trade_currency: currency } });
      const response = await set(leverage + 1);
      if (isAccepted(response)) await set(leverage);
      return findingByResponse(response, 'later-orders', 'refused');
    },
  }),
  tradingQuestion({
    id: 'wire-reverse-quantity',
    kind: 'assumption',
    precondition: 'open',
    how: 'reverse the position and look at the quantity of the answer',
    answers: { open: 'the open quantity', twice: 'twice the open quantity' },
    async ask(trader) {
      const { positionId, quantity, isLong } = await trader.ensurePosition();
      const response = await trader.positionAction(positionId, 'reverse');
      await trader.waitForPosition((now) => now !== undefined && now.isLong !== isLong);
      const reported = Number(textAt(response.json, 'data', 'quantity'));
      if (reported === Number(quantity)) return probeFinding('open', responseText(response));
      const isDoubled = reported === 2 * Number(quantity);
      return isDoubled
        ? probeFinding('twice', responseText(response))
        : unanswered(responseText(response));
    },
  }),
  tradingQuestion({
    id: 'exchange-opposite-excess',
    kind: 'assumption',
    precondition: 'open',
    how: 'send an opposite order of twice the position',
    answers: { flip: 'the excess opens the other side', drop: 'the excess does nothing' },
    async ask(trader) {
      const { quantity, isLong } = await trader.ensurePosition();
      const response = await trader.place(isLong ? 'SHORT' : 'LONG', doubled(quantity));
      const after = await trader.waitForPosition((now) => now?.isLong !== isLong);
      if (after !== undefined && after.isLong === isLong) return unanswered(responseText(response));
      return probeFinding(
        after === undefined ? 'drop' : 'flip',
        after === undefined ? 'flat' : 'on the other side',
      );
    },
  }),
  tradingQuestion({
    id: 'exchange-flip-position-id',
    kind: 'assumption',
    precondition: 'open',
    how: 'send an opposite order of twice the position and compare the position ids',
    answers: { same: 'the position keeps its id', new: 'it is another position' },
    async ask(trader) {
      const { positionId, quantity, isLong } = await trader.ensurePosition();
      const response = await trader.place(isLong ? 'SHORT' : 'LONG', doubled(quantity));
      const after = await trader.waitForPosition((now) => now?.isLong !== isLong);
      if (after === undefined || after.isLong === isLong) return unanswered(responseText(response));
      const same = after.positionId === positionId;
      return probeFinding(same ? 'same' : 'new', `${positionId} → ${after.positionId}`);
    },
  }),
  tradingQuestion({
    id: 'exchange-legs-at-close',
    kind: 'assumption',
    precondition: 'open',
    how: 'set a stop, close the position and read the stop',
    answers: { cancel: 'it is canceled', keep: 'it stays open' },
    async ask(trader, { http }) {
      const { positionId, isLong } = await trader.ensurePosition();
      const set = await trader.setStop(positionId, trader.priceAway(isLong ? -20 : 20));
      const stop = await trader.stopOrderId();
      if (stop === undefined) return unanswered(responseText(set));
      await trader.positionAction(positionId, 'close');
      await trader.waitForPosition((now) => now === undefined);
      const response = await http.get(`${ORDERS}/detail`, { query: { order_id: stop } });
      const status = textAt(response.json, 'data', 'status');
      if (status === undefined) return unanswered(responseText(response));
      if (status === 'CREATED') await trader.cancel(stop);
      return probeFinding(status === 'CREATED' ? 'keep' : 'cancel', status);
    },
  }),
  tradingQuestion({
    id: 'exchange-reduce-only-at-close',
    kind: 'assumption',
    precondition: 'open',
    how: 'rest a reduce-only order, close the position and read the order',
    answers: { cancel: 'it is canceled', keep: 'it stays open' },
    async ask(trader, { http }) {
      const { positionId, isLong } = await trader.ensurePosition();
      const side = isLong ? 'SHORT' : 'LONG';
      const price = trader.priceAway(isLong ? 20 : -20);
      const placed = await trader.place(side, trader.units(1), price, { reduce_only: true });
      const orderId = textAt(placed.json, 'data', 'order_id');
      if (orderId === undefined) return unanswered(responseText(placed));
      await trader.positionAction(positionId, 'close');
      await trader.waitForPosition((now) => now === undefined);
      const response = await http.get(`${ORDERS}/detail`, { query: { order_id: orderId } });
      const status = textAt(response.json, 'data', 'status');
      if (status === undefined) return unanswered(responseText(response));
      if (status === 'CREATED') await trader.cancel(orderId);
      return probeFinding(status === 'CREATED' ? 'keep' : 'cancel', status);
    },
  }),
  tradingQuestion({
    id: 'foreign-close-position',
    kind: 'quirk',
    precondition: 'open',
    how: 'close the position and compare the position_id of the answer',
    answers: { off: 'it is the id of the path', on: 'it is another id' },
    async ask(trader) {
      const { positionId } = await trader.ensurePosition();
      const response = await trader.positionAction(positionId, 'close');
      await trader.waitForPosition((now) => now === undefined);
      const reported = textAt(response.json, 'data', 'position_id');
      if (reported === undefined) return unanswered(responseText(response));
      return quirkFinding(reported !== positionId, `${positionId} → ${reported}`);
    },
  }),
];

async function cancelStop(trader: ProbeTrader): Promise<void> {
  const stop = await trader.stopOrderId();
  if (stop !== undefined) await trader.cancel(stop);
}

const doubled = (quantity: string): string => {
  const held = fixedFromText<'quantity'>(quantity);
  return textFromFixed(add(held, held));
};
