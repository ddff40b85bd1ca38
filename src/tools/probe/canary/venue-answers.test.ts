import { expect, it } from 'vitest';
import { changedAnswers, changeText, mergedAnswers, type VenueAnswers } from './venue-answers.js';

const answers = (
  values: VenueAnswers['values'],
  shapes: VenueAnswers['shapes'] = {},
): VenueAnswers => ({ venue: 'https://api.example.com', since: 1, values, shapes });
const texts = (before: VenueAnswers, now: VenueAnswers): readonly string[] =>
  changedAnswers(before, now).map(changeText);

it('a value that differs is a change; one that only one read has is none', () => {
  const before = answers({ 'price_step of BTCUSDT': '0.1', 'answer to x': 'on' });
  expect(texts(before, answers({ 'price_step of BTCUSDT': '0.1', 'new rule': '1' }))).toEqual([]);
  expect(texts(before, answers({ 'price_step of BTCUSDT': '0.5' }))).toEqual([
    'price_step of BTCUSDT: was 0.1, is 0.5',
  ]);
});

const OBJECT = { 'asset: data': ['object'], 'orders: data[]': ['object'] };
const shape = (fields: VenueAnswers['shapes']): VenueAnswers =>
  answers({}, { ...OBJECT, ...fields });

it.each([
  ['the same types', ['string'], ['string'], []],
  ['a null, which says nothing about the type', ['string'], ['null'], []],
  ['a type after null alone', ['null'], ['string'], []],
  ['another type', ['string'], ['number'], ['field asset: data.fee: was string, is number']],
  [
    'a new field of an object of a fixed form',
    undefined,
    ['string'],
    ['field asset: data.fee: was absent, is string'],
  ],
  ['a missing field', ['string'], undefined, ['field asset: data.fee: was string, is absent']],
])('the shape of an asset with %s', (_case, was, is, expected) => {
  const of = (types: readonly string[] | undefined) =>
    shape(types === undefined ? {} : { 'asset: data.fee': types });
  expect(texts(of(was), of(is))).toEqual(expected);
});

it('rows of lists may gain and lose fields, and only another type is a change', () => {
  const field = 'orders: data[].stop';
  expect(texts(shape({ [field]: ['string'] }), shape({}))).toEqual([]);
  expect(texts(shape({}), shape({ [field]: ['string'] }))).toEqual([]);
  expect(texts(shape({ [field]: ['string'] }), shape({ [field]: ['number'] }))).toHaveLength(1);
});

it('a change is known after it was merged, and the first type stays known too', () => {
  const [before, now] = [shape({ 'asset: data.fee': ['string'] }), shape({})];
  const merged = mergedAnswers(before, now);
  expect(texts(merged, now)).toEqual([]);
  expect(texts(merged, before)).toEqual([]);
});
