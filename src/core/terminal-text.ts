/**
 * Text that was written outside of this house (a venue, a strategy, a file, the command line) must not steer
 * the terminal that shows it: no cursor, no title, no bell, no turn of the writing direction.
 */

/**
 * Control, format and separator characters, and the code points that this file uses itself. Joiners stay:
 * they belong to scripts and emoji.
 */
const UNPRINTABLE = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufdd0-\ufdef]/gu;

const SHORT: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** As JSON escapes it, so that a line of JSON stays the same line of JSON. */
const escaped = (character: string): string =>
  SHORT[character] ??
  Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');

/** Every character that could steer a terminal as its escape; line feeds stay. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped);

/** The same on one line: line feeds too. For cells of tables and lines of logs. */
export const oneLine = (text: string): string => printable(text).replaceAll('\n', '\\n');

/** Plain data with every text in it on one line. */
export function printableData<Data>(data: Data): Data {
  if (typeof data === 'string') return oneLine(data) as Data;
  if (Array.isArray(data)) return data.map(printableData) as Data;
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [oneLine(key), printableData(value as unknown)]),
  ) as Data;
}

/** Marks of our own, in code points that no text for interchange holds. */
const STYLE = '\ufdd0';
const STYLE_END = '\ufdd1';
/** The next text is written over this line. */
export const LINE_START = '\ufdd2';
/** The line is emptied. */
export const LINE_CLEAR = '\ufdd3';

/**
 * Marks the colours of a text as ours: to be called where everything from outside in it has been made
 * printable. Colours that are not marked are shown as what they are.
 */
export const styled = (text: string): string =>
  text.replace(/\u001b\[(\d{1,2})m/g, `${STYLE}$1${STYLE_END}`);

const MARK = new RegExp(`${STYLE}(\\d{1,2})${STYLE_END}|${LINE_START}|${LINE_CLEAR}`, 'g');

/**
 * Text that may be written to a terminal, or with `marks: false` to any other reader. Our marks become the
 * styles that they stand for, and every other control character its escape.
 */
export function terminalText(text: string, { marks }: { readonly marks: boolean }): string {
  if (!marks) return printable(text);
  let shown = '';
  let from = 0;
  for (const found of text.matchAll(MARK)) {
    shown += printable(text.slice(from, found.index)) + sequenceOf(found[0], found[1]);
    from = found.index + found[0].length;
  }
  return shown + printable(text.slice(from));
}

function sequenceOf(mark: string, style: string | undefined): string {
  if (style !== undefined) return `\u001b[${style}m`;
  return mark === LINE_START ? '\r' : '\r\u001b[K';
}
