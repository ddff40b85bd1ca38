// The options of a program of this repository. Its help is the comment at the head of its file.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE_ERROR = 2;

/**
 * The values of the options. `--help` prints the head of the file and ends the process with 0; an unknown, incomplete or
 * wrong option ends it with 2.
 * @param {string} url of the program, `import.meta.url`
 * @param {Record<string, object>} options as of `parseArgs`, and `{ type: 'number', least, default, isFraction }`: a
 *   whole number from `least` on (1), or any number from there on
 */
export function programOptions(url, options) {
  const help = headOf(url);
  try {
    const texts = Object.entries(options).map(([name, option]) => [name, asText(option)]);
    const { values } = parseArgs({
      options: {
        ...Object.fromEntries(texts),
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (!values.help) return withNumbers(values, options);
  } catch (error) {
    process.stderr.write(`${error.message.split('\n')[0]}\n\n${help}`);
    process.exit(USAGE_ERROR);
  }
  process.stdout.write(help);
  process.exit(0);
}

const asText = (option) =>
  option.type !== 'number'
    ? option
    : { type: 'string', ...(option.default !== undefined && { default: String(option.default) }) };

function withNumbers(values, options) {
  const numbers = Object.entries(options).filter(
    ([name, { type }]) => type === 'number' && values[name] !== undefined,
  );
  return {
    ...values,
    ...Object.fromEntries(
      numbers.map(([name, option]) => [name, numberOf(name, values[name], option)]),
    ),
  };
}

function numberOf(name, text, { least = 1, isFraction = false }) {
  const value = text.trim() === '' ? NaN : Number(text);
  if (value >= least && value < Infinity && (isFraction || Number.isInteger(value))) return value;
  throw new RangeError(
    `--${name} is a ${isFraction ? '' : 'whole '}number from ${least} on, not "${text}"`,
  );
}

/** The comment lines at the head, without their marks. */
function headOf(url) {
  const lines = readFileSync(fileURLToPath(url), 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//') && !line.startsWith('#!'));
  const head = lines.slice(0, end).filter((line) => line.startsWith('//'));
  return head.map((line) => `${line.replace(/^\/\/ ?/, '')}\n`).join('');
}
