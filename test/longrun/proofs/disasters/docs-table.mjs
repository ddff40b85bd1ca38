// The table of docs/risk.md, from the results of a run.
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';

const FILE = new URL('../../../../docs/risk.md', import.meta.url);
const [BEGIN, END] = ['<!-- generated: disasters -->', '<!-- end of generated: disasters -->'];

/** Rows of scenes that did not run stay as they are. */
export async function writeTable(results) {
  const text = readFileSync(FILE, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const [table, after] = rest.split(END);
  const kept = table.split('\n').filter((line) => line.startsWith('| `'));
  const rowOf = new Map(kept.map((line) => [line.split('`')[1], line]));
  for (const each of results) rowOf.set(each.scene, row(each));
  const head =
    '| scene | disaster | behaviour | detected, s | exit, s | back, s |\n| --- | --- | --- | ---: | ---: | ---: |';
  const next = `${before}${BEGIN}\n\n${head}\n${[...rowOf.values()].join('\n')}\n\n${END}${after}`;
  const options = { ...(await resolveConfig(FILE)), parser: 'markdown' };
  writeFileSync(FILE, await format(next, options));
}

const row = ({ scene, what, does, verdict, ...times }) => {
  const seconds = ['detected_s', 'exit_s', 'back_s'].map((name) => times[name] ?? '–');
  const cells = [`\`${scene}\``, what, verdict === 'holds' ? does : `fails: ${does}`, ...seconds];
  return `| ${cells.join(' | ')} |`;
};
