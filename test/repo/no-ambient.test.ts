import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Linter, type Rule } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const { ports } = JSON.parse(
  readFileSync(new URL('eslint-rules/ambient-allow-list.json', root), 'utf8'),
) as { ports: string[] };
const rules = {
  'no-ambient': await ruleOf('no-ambient'),
  'no-inexact-maths': await ruleOf('no-inexact-maths'),
};

async function ruleOf(name: string): Promise<Rule.RuleModule> {
  const module: unknown = await import(new URL(`eslint-rules/${name}.js`, root).href);
  return (module as { default: Rule.RuleModule }).default;
}

function lint(code: string, filename = 'src/engine/engine.ts', rule = 'no-ambient'): string[] {
  const options = rule === 'no-ambient' ? [{ allow: ports }] : [];
  const linter = new Linter({ cwd: fileURLToPath(root) });
  const messages = linter.verify(
    code,
    [
      {
        files: ['**/*.ts'],
        plugins: { repo: { rules } },
        languageOptions: { parser: tseslint.parser as Linter.Parser },
        rules: { [`repo/${rule}`]: ['error', ...options] },
      },
    ],
    { filename },
  );
  return messages.map((message) => message.message);
}

describe('the rule against ambient time, chance, files and sockets', () => {
  test.each([
    ['Date.now();', 'Date.now'],
    ['new Date();', 'new Date()'],
    ['String(Date());', 'Date()'],
    ['performance.now();', 'performance.now'],
    ['Math.random();', 'Math.random'],
    ['setTimeout(() => 1, 5);', 'setTimeout'],
    ['setInterval(() => 1, 5);', 'setInterval'],
    ['setImmediate(() => 1);', 'setImmediate'],
    ['queueMicrotask(() => 1);', 'queueMicrotask'],
    ['const later = setTimeout; later(() => 1);', 'setTimeout'],
    ['run(setTimeout);', 'setTimeout'],
    ["await fetch('http://127.0.0.1');", 'fetch'],
    ["new WebSocket('ws://127.0.0.1');", 'WebSocket'],
    ['const key = process.env["KEY"];', 'process.env'],
    ['const { env } = process;', 'process.env'],
    ['process.hrtime.bigint();', 'process.hrtime'],
    ['globalThis.setTimeout(() => 1);', 'setTimeout'],
    ['globalThis.Date.now();', 'Date.now'],
    ['const { now } = Date;', 'Date.now'],
    ['Date["now"]();', 'Date.now'],
    ['AbortSignal.timeout(5);', 'AbortSignal.timeout'],
    ['crypto.randomUUID();', 'crypto.randomUUID'],
    ["import { readFileSync } from 'node:fs';", '"node:fs"'],
    ["import { readFile } from 'node:fs/promises';", '"node:fs/promises"'],
    ["import { readFile } from 'fs/promises';", '"fs/promises"'],
    ["import http from 'node:http';", '"node:http"'],
    ["import https from 'node:https';", '"node:https"'],
    ["import { connect } from 'node:net';", '"node:net"'],
    ["import { spawn } from 'node:child_process';", '"node:child_process"'],
    ["import { setTimeout } from 'node:timers/promises';", '"node:timers/promises"'],
    ["export { readFile } from 'node:fs/promises';", '"node:fs/promises"'],
    ["export * from 'node:fs';", '"node:fs"'],
    ["const fs = await import('node:fs');", '"node:fs"'],
    ["import { createHash, randomUUID } from 'node:crypto';", 'randomUUID of "node:crypto"'],
    ["import * as crypto from 'node:crypto';", '* of "node:crypto"'],
  ])('fires on %s', (code, what) => {
    const [first, ...others] = lint(code);
    expect(first).toContain(`${what} is ambient`);
    expect(others).toEqual([]);
  });

  test.each([
    ['new Date(1_746_403_200_000).toISOString();'],
    ['Date.UTC(2025, 4, 5);'],
    ['const at = clock.utcMs(); scheduler.after(5, run);'],
    ['function f(setTimeout: () => void, Date: { now(): number }) { setTimeout(); Date.now(); }'],
    ['const options = { fetch: 1, setTimeout: 2 };'],
    ['venue.fetch(1); this.setTimeout(2); net.performance.now();'],
    ['interface Host { setTimeout(run: () => void): void; fetch: string }'],
    ["import type { FileHandle } from 'node:fs/promises';"],
    ["import { type FileHandle } from './files.js';"],
    ["import { createHash } from 'node:crypto';"],
    ["import { join } from 'node:path';"],
    ['Math.sqrt(2);'],
  ])('is silent on %s', (code) => {
    expect(lint(code)).toEqual([]);
  });

  test('honours the allow-list, and that alone', () => {
    expect(lint('Date.now();', 'src/io/node/node-clock.ts')).toEqual([]);
    expect(lint('Date.now();', fileURLToPath(new URL('src/io/node/node-clock.ts', root)))).toEqual(
      [],
    );
    expect(lint('Date.now();', 'src/io/node/other-clock.ts')).toHaveLength(1);
    expect(lint('Date.now();', 'src/other/io/node/node-clock.ts')).toHaveLength(1);
  });

  test.each(ports)('its allow-list names a file that exists: %s', (path) => {
    expect(existsSync(new URL(path, root))).toBe(true);
  });

  test('its allow-list holds no more than the files that implement ports', () => {
    const elsewhere = ports.filter(
      (path) =>
        !/^src\/(io\/(node\/|net\/(undici-http|ws-socket|guarded-connector|public-address))|notify\/telegram\/telegram-(thread|worker)|cli\/(main|commands\/(backtest\/(backtest-(main|worker)|variant-main|silent-io)|dev\/file-watcher|init\/project-files))|config\/secret-file|tools\/check\/|analysis\/thread\/|sandbox\/(http\/(server|http-server)|stream\/stream-server)|strategy\/(loader|isolation))/.test(
          path,
        ),
    );
    expect(elsewhere).toEqual([]);
  });
});

describe('the rule against inexact maths', () => {
  test.each([
    ['Math.sin(1);', 'Math.sin'],
    ['Math.exp(1);', 'Math.exp'],
    ['Math.log(1);', 'Math.log'],
    ['Math.pow(2, 3);', 'Math.pow'],
    ['Math.hypot(3, 4);', 'Math.hypot'],
    ['Math["exp"](1);', 'Math.exp'],
    ['const { exp } = Math;', 'taking functions out of Math'],
    ['const x = a ** 2;', '**'],
    ['x **= 2;', '**='],
    ["new Intl.NumberFormat('en').format(1);", 'Intl'],
    ['(1).toLocaleString();', 'toLocaleString'],
    ["['a', 'b'].sort((a, b) => a.localeCompare(b));", 'localeCompare'],
  ])('fires on %s', (code, what) => {
    expect(lint(code, 'src/risk/gate.ts', 'no-inexact-maths')).toEqual([
      expect.stringContaining(`${what} may differ`),
    ]);
  });

  test.each([
    ['Math.sqrt(2) + Math.abs(-1) + Math.floor(1.5) + Math.max(1, 2) + Math.PI;'],
    ['const mask = 2 ** 32 - 1;'],
    ['const big = 10n ** 8n;'],
  ])('is silent on %s', (code) => {
    expect(lint(code, 'src/risk/gate.ts', 'no-inexact-maths')).toEqual([]);
  });
});
