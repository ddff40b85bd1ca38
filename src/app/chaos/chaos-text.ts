import type { Scene, SceneResult } from './scene.js';

const WIDTH = 84;

export const openingText = (scenes: number): string =>
  `A local exchange, a real bot, and kill -9: ${scenes} scenes, each with an exchange of its own.\n`;

export const sceneText = (number: number, { title, story }: Scene): string =>
  `\n  ${number}  ${title}\n${wrapped(story)}\n`;

export function findingsText({ evidence, findings }: SceneResult): string {
  const journal = evidence.journal.map((line) => `       ${line}\n`).join('');
  const proofs = findings.map(({ holds, text }) => `     ${holds ? '✓' : '✗'} ${text}\n`).join('');
  return `     the journal of ${evidence.clientOrderId}\n${journal}${proofs}`;
}

export function closingText(results: readonly SceneResult[], seconds: number): string {
  const proofs = results.flatMap(({ findings }) => findings);
  const held = proofs.filter(({ holds }) => holds).length;
  const verdict =
    held === proofs.length
      ? 'Every order exists once, and the bot knows it.'
      : 'A proof fails: run it again with --keep, and look at the folder.';
  return `\n${held} of ${proofs.length} proofs hold, after ${seconds.toFixed(0)} s. ${verdict}\n`;
}

/** Lines of words that fit, indented. */
function wrapped(text: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > WIDTH - 5) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => `     ${each}`).join('\n');
}
