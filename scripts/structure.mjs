// `npm run structure` prints the sizes of the modules and draws docs/architecture.svg from the imports.
// `--check` fails where the picture is out of date or a limit is passed; `--json` prints the figures as JSON.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT, importsOf, moduleArrows, sourceFiles } from './structure/imports.mjs';
import { figuresOf } from './structure/figures.mjs';
import { pictureOf } from './structure/picture.mjs';

const MAX_MODULE_PERCENT = 12.5;
const MAX_FOLDER_FILES = 25;
const PICTURE = join(ROOT, 'docs/architecture.svg');

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const files = sourceFiles();
const arrows = moduleArrows(importsOf(files));
const picture = pictureOf(arrows);
if (values.check) {
  const faults = faultsOf(figuresOf(files));
  if (readFileSync(PICTURE, 'utf8') !== picture)
    faults.push('docs/architecture.svg is out of date: run `npm run structure`');
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
} else {
  writeFileSync(PICTURE, picture);
  const figures = figuresOf(files);
  process.stdout.write(values.json ? `${JSON.stringify(figures)}\n` : `${textOf(figures)}\n`);
}

/** @returns what passes the limits of docs/decisions/167-names-and-layout.md */
function faultsOf({ modules, folder_max: largest, names_with_two_meanings: names }) {
  return [
    ...modules
      .filter(({ percent }) => percent > MAX_MODULE_PERCENT)
      .map(
        ({ name, percent }) => `src/${name} holds ${percent.toFixed(1)} % of the code: split it`,
      ),
    ...(largest.files > MAX_FOLDER_FILES
      ? [`${largest.folder} holds ${largest.files} files: give it folders`]
      : []),
    ...Object.entries(names).map(
      ([name, places]) => `${name} is exported twice: ${places.join(' and ')}`,
    ),
  ];
}

function textOf({ modules, ...totals }) {
  const rows = modules.map(
    ({ name, files: count, lines, percent }) =>
      `${name.padEnd(20)}${String(count).padStart(5)}${String(lines).padStart(8)}${percent.toFixed(1).padStart(7)} %`,
  );
  return [
    ...rows,
    ...Object.entries(totals).map(([key, value]) => `${key.padEnd(32)}${JSON.stringify(value)}`),
  ].join('\n');
}
