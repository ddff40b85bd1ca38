import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../core/command-errors.js';
import type { NotifyConfig } from './config-notify.js';
import { configFromYaml } from './config.js';

const head = `mode: sandbox
account: demo
venue: { embedded: {} }
strategies: [{ id: a, use: sma-cross, symbols: [BTCUSDT], size: { notional: "250" } }]
risk: { preset: standard, symbols_allow: [BTCUSDT] }
`;
const load = (notify: string): NotifyConfig | undefined =>
  configFromYaml('bot.yaml', new TextEncoder().encode(`${head}notify:\n${notify}\n`)).notify;

function problemsOf(notify: string): readonly string[] {
  try {
    load(notify);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('the section notify', () => {
  it('a minimal one has every level and no quiet hours, and its paths start at the file', () => {
    expect(
      load('  webhook: { url: "https://example.com/hook", secret_file: secrets/hook }'),
    ).toEqual({
      timeZone: 'UTC',
      webhook: {
        url: 'https://example.com/hook',
        allowPrivate: false,
        secretFile: resolve('secrets/hook'),
        levels: ['page', 'message', 'digest'],
      },
    });
  });

  it('a full one has each key', () => {
    const notify = load(`  time_zone: Asia/Kolkata
  quiet_hours: { from: "22:30", to: "07:00" }
  digest_at: "08:05"
  command: { run: [./alert.sh, -v], timeout: 5s, levels: [page] }
  telegram: { token_file: token, chat: -1001234, users: [42], commands: true }
  dead_man: { url: "https://hc.example.com/x", every: 30s }`);
    expect(notify).toMatchObject({
      timeZone: 'Asia/Calcutta',
      quietHours: { fromMinute: 1_350, toMinute: 420 },
      digestMinute: 485,
      command: { run: [resolve('alert.sh'), '-v'], timeoutMs: 5_000, levels: ['page'] },
      telegram: { url: 'https://api.telegram.org', chat: -1_001_234, users: [42], commands: true },
      deadMan: { everyMs: 30_000 },
    });
  });

  it.each([
    ['  {}', /^bot.yaml:6:1 notify: names no way to a person/],
    [
      '  command: { run: [x] }\n  wehook: {}',
      /notify: unknown key "wehook"; did you mean "webhook"/,
    ],
    [
      '  webhook: { url: "https://a.example" }',
      /^bot.yaml:7:3 notify.webhook.secret_file: is missing/,
    ],
    [
      '  webhook: { url: "http://a.example", secret_file: s }',
      /notify.webhook.url: "http:\/\/a.example" is refused: the text would travel unencrypted/,
    ],
    [
      '  webhook: { url: "https://10.0.0.1/x", secret_file: s }',
      /10.0.0.1 is a private address; allow_private: true permits it/,
    ],
    ['  webhook: { url: "https://[::1]/x", secret_file: s }', /::1 is a private address/],
    ['  webhook: { url: "https://localhost/x", secret_file: s }', /localhost is a private address/],
    ['  webhook: { url: "https://me:pw@a.example", secret_file: s }', /put a secret into a file/],
    ['  webhook: { url: "ftp://a.example", secret_file: s }', /expected an address such as/],
    [
      '  webhook: { url: "https://a.example", secret_file: s, allow_private: maybe }',
      /expected true or false, not "maybe"/,
    ],
    [
      '  webhook: { url: "https://a.example", secret_file: s, levels: [pager] }',
      /notify.webhook.levels\[0\]: expected one of page, message, digest, not "pager"/,
    ],
    [
      '  time_zone: Mars/Base\n  command: { run: [x] }',
      /^bot.yaml:7:14 notify.time_zone: expected a time zone/,
    ],
    [
      '  quiet_hours: { from: "25:00", to: "07:00" }\n  command: { run: [x] }',
      /expected a local time such as "22:00", not "25:00"/,
    ],
    [
      '  quiet_hours: { from: "07:00", to: "07:00" }\n  command: { run: [x] }',
      /notify.quiet_hours.from: is the same/,
    ],
    ['  command: { run: [] }', /expected at least one of words/],
    [
      '  telegram: { token_file: t, chat: 1, commands: true }',
      /notify.telegram.users: is missing: commands: true needs/,
    ],
    ['  telegram: { token_file: t, chat: "@me" }', /expected the number of a chat/],
    ['  dead_man: { url: "https://a.example", every: 1s }', /expected a duration from 10s to 1h/],
  ])('%s is refused at its place, with the mend', (notify, expected) => {
    const problems = problemsOf(notify);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(expected);
  });

  it('an address in a private network is allowed where allow_private says so', () => {
    const text = '{ url: "http://127.0.0.1:8080/", secret_file: s, allow_private: true }';
    expect(load(`  webhook: ${text}`)?.webhook?.allowPrivate).toBe(true);
  });
});
