import { expect, it } from 'vitest';
import { configFromYaml } from './config.js';
import { recordedText } from './recorded-text.js';

const TEXT = `mode: sandbox
account: bot
venue: { base_url: 'http://127.0.0.1:8787', ws_url: 'ws://127.0.0.1:8787', api_secret_file: secret }
strategies: [{ id: a, use: sma-cross, symbols: [BTCUSDT], interval: 1m, size: { notional: '100' } }]
risk: { preset: standard, symbols_allow: [BTCUSDT] }
notify:
  webhook: { url: 'https://hooks.example.com/T1/token-of-the-hook?key=abc', secret_file: hook }
  dead_man: { url: "https://ping.example.com/token-of-the-ping" }
`;
const parse = (text: string) => configFromYaml('/bot.yaml', new TextEncoder().encode(text));

it('the recorded text has no path and no query of a hook, and is still a configuration', () => {
  const text = recordedText(parse(TEXT));
  expect(text).not.toMatch(/token|key=/);
  expect(parse(text).notify).toMatchObject({
    webhook: { url: 'https://hooks.example.com/not-recorded' },
    deadMan: { url: 'https://ping.example.com/not-recorded' },
  });
});

it('a text without hooks stays as it is', () => {
  const without = TEXT.slice(0, TEXT.indexOf('notify:'));
  expect(recordedText(parse(without))).toBe(without);
});

it('an address that begins another one leaves no rest of it, and a bare origin stays', () => {
  const nested = TEXT.replace(
    /webhook: .*/,
    "webhook: { url: 'https://h.example.com/a/secret', secret_file: hook }",
  ).replace(/dead_man: .*/, "dead_man: { url: 'https://h.example.com/a' }");
  expect(recordedText(parse(nested))).not.toMatch(/\/a|secret'/);
  const bare = TEXT.replace(/dead_man: .*/, "dead_man: { url: 'https://ping.example.com' }");
  expect(recordedText(parse(bare))).toContain("dead_man: { url: 'https://ping.example.com' }");
});
