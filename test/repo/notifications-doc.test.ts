import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { describe, expect, it } from 'vitest';
import {
  ALERT_KINDS,
  ALERT_LEVELS,
  type AlertKindEntry,
} from '../../src/notify/alert/alert-kind.js';
import { webhookHeaders } from '../../src/notify/channel/webhook-signature.js';

const FILE = new URL('../../docs/notifications.md', import.meta.url);
const MARKS = ['<!-- generated: alerts -->', '<!-- end of generated: alerts -->'] as const;

const KINDS: readonly (readonly [string, AlertKindEntry])[] = Object.entries(ALERT_KINDS);
const TABLE = `| alert | level | raised when | ends when | action |
| --- | --- | --- | --- | --- |
${KINDS.map(
  ([kind, { level, when, ends, action }]) =>
    `| \`${kind}\` | ${level} | ${when} | ${ends ?? '–'} | ${action} |`,
).join('\n')}`;

type IsGenuine = (
  headers: Readonly<Record<string, string>>,
  rawBody: string,
  secret: string,
  nowSeconds: number,
) => boolean;

describe('docs/notifications.md', () => {
  it('has every alert of the code: its level, condition, end and action (UPDATE_DOCS=1 writes them)', async () => {
    const [before, rest = ''] = readFileSync(FILE, 'utf8').split(MARKS[0]);
    const [, after = ''] = rest.split(MARKS[1]);
    const options = await resolveConfig(FILE.pathname);
    const text = await format(`${before}${MARKS[0]}\n\n${TABLE}\n\n${MARKS[1]}${after}`, {
      ...options,
      parser: 'markdown',
    });
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(FILE, text);
    expect(readFileSync(FILE, 'utf8')).toBe(text);
  });

  it('the kinds are listed from the most to the least urgent level', () => {
    const levels = KINDS.map(([, { level }]) => ALERT_LEVELS.indexOf(level));
    expect(levels).toEqual([...levels].sort((a, b) => a - b));
  });

  it('its example of a receiver accepts a webhook once, and no other body, secret or time', async () => {
    const code = /```js\n([\s\S]*?)```/.exec(readFileSync(FILE, 'utf8'))?.[1] ?? '';
    const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      isGenuine: IsGenuine;
    };
    const check = (...args: Parameters<IsGenuine>) => module.isGenuine(...args);
    const headers = webhookHeaders('run-1', 1_000_000, '{}', 'shared');
    expect(check(headers, '{ }', 'shared', 1_000)).toBe(false);
    expect(check(headers, '{}', 'other', 1_000)).toBe(false);
    expect(check(headers, '{}', 'shared', 2_000)).toBe(false);
    expect(check(headers, '{}', 'shared', 1_000)).toBe(true);
    expect(check(headers, '{}', 'shared', 1_000)).toBe(false);
    const other = createHmac('sha256', 'shared').update('{}').digest('base64');
    expect(check({ ...headers, 'webhook-signature': `v1,${other}` }, '{}', 'shared', 1_000)).toBe(
      false,
    );
  });
});
