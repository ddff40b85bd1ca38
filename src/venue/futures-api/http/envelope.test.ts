import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEnvelope, type Envelope } from './envelope.js';

const RATE = 'API rate limit exceeded';

const TABLE: readonly (readonly [string, string, Partial<Envelope>])[] = [
  ['an object', '{"success":true,"data":{"a":1.10}}', { kind: 'success', data: { a: '1.10' } }],
  ['null', '{"success":true,"data":null}', { kind: 'success', data: null }],
  ['a boolean', '{"success":true,"data":true}', { kind: 'success', data: true }],
  [
    'the documented failure',
    '{"success":false,"errors":[{"code":400,"text":"Invalid trade currency"}]}',
    { kind: 'failure', errors: [{ code: '400', text: 'Invalid trade currency' }] },
  ],
  [
    'a failure without a code',
    '{"success":false,"errors":[{"code":null,"text":"insufficient balance"}]}',
    { kind: 'failure', errors: [{ text: 'insufficient balance' }] },
  ],
  [
    'a failure encoded twice',
    `{"success":false,"message":"{\\"errors\\":[{\\"code\\":5002,\\"text\\":\\"${RATE}\\"}]}"}`,
    { kind: 'failure', errors: [{ code: '5002', text: RATE }] },
  ],
  [
    'a single error object',
    '{"success":false,"error":{"code":1,"message":"order not found"}}',
    { kind: 'failure', errors: [{ code: '1', text: 'order not found' }] },
  ],
  ['an empty body', '', { kind: 'unreadable', cause: 'the body is empty' }],
  ['blanks', ' \n', { kind: 'unreadable' }],
  ['a page', '<html>502 Bad Gateway</html>', { kind: 'unreadable', cause: 'a page, not JSON' }],
  ['plain text', 'rate limited', { kind: 'unreadable' }],
  ['a truncated body', '{"success":true,"data":{"ord', { kind: 'unreadable' }],
  ['a list', '[]', { kind: 'unreadable' }],
  ['a bare value', '1', { kind: 'unreadable' }],
  ['a success without data', '{"success":true}', { kind: 'unreadable' }],
  ['a failure without errors', '{"success":false}', { kind: 'unreadable' }],
  ['a failure with an empty list', '{"success":false,"errors":[]}', { kind: 'unreadable' }],
  ['errors of another shape', '{"success":false,"errors":["no"]}', { kind: 'unreadable' }],
  [
    'a message that only looks encoded',
    '{"success":false,"message":"{no"}',
    { kind: 'unreadable' },
  ],
  [
    'an error of the router, without envelope',
    '{"code":404,"text":"requested resource was not found"}',
    { kind: 'unreadable', cause: 'the body has no envelope' },
  ],
  ['success as a text', '{"success":"true","data":{}}', { kind: 'unreadable' }],
];

describe('the envelope', () => {
  it.each(TABLE)('the envelope of %s is read', (_, body, expected) => {
    expect(readEnvelope(body)).toMatchObject(expected);
  });

  it('any text is read without a throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
        expect(['success', 'failure', 'unreadable']).toContain(readEnvelope(body).kind);
      }),
    );
  });

  it('a truncated body is never a success', () => {
    const body = '{"success":true,"data":{"order_id":"1","price":"0.1"}}';
    for (let end = 0; end < body.length; end += 1) {
      expect(readEnvelope(body.slice(0, end)).kind).toBe('unreadable');
    }
  });
});
