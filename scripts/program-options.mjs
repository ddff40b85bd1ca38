// The options of a program of this repository. Its help is the comment at the head of its file.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE_ERROR = 2;

/**
 * The values of the options. `--help` prints the head of the file and ends the process with 0; an unknown or incomplete
 * option ends it with 2.
 * @template {import('node:util').ParseArgsConfig['options']} Options
 * @param {string} url of the program, `import.meta.url`
 * @param {Options} options as of `parseArgs`
 */
export function programOptions(url, options) {
  const help = headOf(url);
  try {
    const { values } = parseArgs({
      options: { ...options, help: { type: 'boolean', short: 'h', default: false } },
    });
    if (!values.help) return values;
  } catch (error) {
    process.stderr.write(`${error.message.split('\n')[0]}\n\n${help}`);
    process.exit(USAGE_ERROR);
  }
  process.stdout.write(help);
  process.exit(0);
}

/** The comment lines at the head, without their marks. */
function headOf(url) {
  const lines = readFileSync(fileURLToPath(url), 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//') && !line.startsWith('#!'));
  const head = lines.slice(0, end).filter((line) => line.startsWith('//'));
  return head.map((line) => `${line.replace(/^\/\/ ?/, '')}\n`).join('');
}
