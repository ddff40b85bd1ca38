// Records the demo and `sluice why` on a terminal and draws docs/demo.svg: `npm run recording`.
// Needs `script` of util-linux, which gives the program a terminal.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const SECONDS = 12;
const COLUMNS = 96;
const LINE = { height: 18, size: 13, width: 7.83 };
const PAD = { x: 18, y: 44 };
/** The picture plays this many times as fast as the run. */
const SPEED = 2.5;
const COLOURS = {
  1: '#ffffff',
  2: '#8b949e',
  31: '#ff7b72',
  32: '#3fb950',
  33: '#d29922',
  36: '#79c0ff',
  90: '#8b949e',
};
/** The picture shows the fills, a part of the summary, and the chain of one order. */
const HIDDEN = [
  /^sluice: building|^Script |^\s*$|^[├┌└]─+[┬┼┴┐┤┘]|leverage: set/,
  /^│ .*(First fill|Intents|Refused|Rejected|Never sent|At the venue|Realised|Unrealised|State|Run) /,
  /^sluice: in |R0[567] |R10 |R15 |payload sha256/,
];

const ESCAPE = String.fromCharCode(27);
const STYLE = new RegExp(`${ESCAPE}\\[([0-9;]*)m`, 'g');

const folder = mkdtempSync(join(tmpdir(), 'recording-'));
try {
  const config = join(folder, 'demo.yaml');
  const text = readFileSync(join(ROOT, 'config/demo.yaml'), 'utf8');
  writeFileSync(config, text.replace(/^state_dir: .*$/m, `state_dir: ${join(folder, 'state')}`));
  const run = await record(`run --config ${config} --duration ${SECONDS}s`);
  const order = orderIn(folder);
  const why = await record(`why ${order.slice(0, 24)} ${join(folder, 'state')}`);
  const shown = [
    prompt('npm start', 0),
    ...run.filter(isShown).map(inFrame),
    prompt(`npx sluice why ${order.slice(0, 24)}`, lastOf(run) + 2_000),
    ...why.filter(isShown).map((line) => inFrame({ ...line, at: line.at + lastOf(run) + 3_000 })),
  ];
  writeFileSync(join(ROOT, 'docs/demo.svg'), pictureOf(shown));
} finally {
  rmSync(folder, { recursive: true });
}

/** @returns the lines that a command prints, with the ms since its start */
function record(args) {
  const command = `stty cols ${COLUMNS} rows 60; ${process.execPath} ${join(ROOT, 'bin/sluice.mjs')} ${args}`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const started = Date.now();
  const lines = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const parts = (rest + chunk).split(/\r*\n/);
    rest = parts.pop() ?? '';
    lines.push(...parts.map((line) => ({ at: Date.now() - started, text: line })));
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(lines);
      else
        reject(
          new Error(
            `sluice ${args} ended with ${code}: ${lines.map(({ text: line }) => line).join('\n')}`,
          ),
        );
    });
  });
}

/** The client order id of the first order that the journal has. */
function orderIn(directory) {
  const journal = readFileSync(findJournal(join(directory, 'state')), 'latin1');
  const found = /"clientOrderId":"([^"]+)"/.exec(journal);
  if (found === null) throw new Error('the demo placed no order');
  return found[1];
}

/** An embedded sandbox gives each run a folder of its own. */
function findJournal(state) {
  return join(state, readdirSync(state)[0] ?? '', 'journal.log');
}

function isShown({ text }) {
  return !HIDDEN.some((pattern) => pattern.test(text));
}

/** Without the folder of the recording, the arguments of log lines and what is beyond the last column. */
function inFrame({ at, text }) {
  const short = text.replaceAll(folder, '~').replace(/ \{"(base_url|intents).*\}/, '');
  return { at, spans: clipped(spansOf(short)) };
}

function spansOf(text) {
  const spans = [];
  let [colour, bold, last] = [undefined, false, 0];
  const push = (to) => {
    if (to > last) spans.push({ text: text.slice(last, to), colour, bold });
  };
  for (const match of text.matchAll(STYLE)) {
    push(match.index);
    for (const code of match[1].split(';')) {
      if (code === '0' || code === '' || code === '39' || code === '22')
        [colour, bold] = [code === '22' ? colour : undefined, false];
      else if (code === '1') bold = true;
      else colour = COLOURS[code] ?? colour;
    }
    if (match[1] === '22' && colour === COLOURS[2]) colour = undefined;
    last = match.index + match[0].length;
  }
  push(text.length);
  return spans;
}

function clipped(spans) {
  let room = COLUMNS;
  return spans.flatMap((span) => {
    const text = span.text.slice(0, Math.max(0, room));
    room -= span.text.length;
    return text === '' ? [] : [{ ...span, text }];
  });
}

function prompt(command, at) {
  return {
    at,
    spans: [
      { text: '$ ', colour: '#3fb950', bold: true },
      { text: command, bold: true },
    ],
  };
}

function lastOf(lines) {
  return lines.at(-1)?.at ?? 0;
}

function pictureOf(lines) {
  const width = Math.round(2 * PAD.x + COLUMNS * LINE.width);
  const height = PAD.y + lines.length * LINE.height + 18;
  const rows = lines.map(
    ({ at, spans }, index) =>
      `<text x="${PAD.x}" y="${PAD.y + (index + 1) * LINE.height}" xml:space="preserve" style="animation-delay:${(at / 1_000 / SPEED).toFixed(2)}s">${spans.map(spanText).join('')}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    '<title>The demo trades on its own exchange; sluice why explains an order</title>',
    `<style>text{font:${LINE.size}px Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6edf3;animation:show .01s backwards}@keyframes show{from{opacity:0}}@media(prefers-reduced-motion){text{animation:none}}</style>`,
    `<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (fill, index) => `<circle cx="${24 + index * 20}" cy="22" r="6" fill="${fill}"/>`,
    ),
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

function spanText({ text, colour, bold }) {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const fill = colour === undefined ? '' : ` fill="${colour}"`;
  const weight = bold ? ' font-weight="bold"' : '';
  return `<tspan${fill}${weight}>${escaped}</tspan>`;
}
