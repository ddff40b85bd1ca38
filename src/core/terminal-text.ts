/**
 * Text from outside (a venue, a strategy, a file, the command line) must not control the terminal that
 * shows it: no cursor movement, no title, no bell, no change of the writing direction.
 */

/**
 * Control, format and separator characters, and the code points that this file reserves for its own
 * marks. Joiners are allowed: scripts and emoji need them.
 */
const UNPRINTABLE = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufdd0-\ufdef]/gu;

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** The escape of JSON, so that a line of JSON keeps its meaning. */
const escapeCharacter = (character: string): string =>
  SHORT_ESCAPES[character] ??
  Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');

/** Replaces every character that could control a terminal by its escape, except line feeds. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escapeCharacter);

/** Like `printable`, on one line: line feeds are escaped as well. For table cells and log lines. */
export const oneLine = (text: string): string => printable(text).replaceAll('\n', '\\n');

/** A number with its regular noun: `1 row`, `2 rows`. */
export const countText = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Plain data with `oneLine` applied to every text in it. */
export function printableData<Data>(data: Data): Data {
  if (typeof data === 'string') return oneLine(data) as Data;
  if (Array.isArray(data)) return data.map(printableData) as Data;
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [oneLine(key), printableData(value as unknown)]),
  ) as Data;
}

/** Our own marks are Unicode noncharacters: no text from outside may contain them. */
const STYLE = '\ufdd0';
const STYLE_END = '\ufdd1';
/** Moves to the start of the line, which the next text overwrites. */
export const LINE_START = '\ufdd2';
/** Clears the line. */
export const LINE_CLEAR = '\ufdd3';
/** Shows another screen, and the one before it again. */
export const SCREEN_ENTER = '\ufdd4';
export const SCREEN_LEAVE = '\ufdd5';
/** Clears the screen and moves to its first line. */
export const SCREEN_CLEAR = '\ufdd6';

/**
 * Marks the colors of a text as ours. Every part of the text that comes from outside must have been
 * made `printable` before. A color without a mark is shown as an escape.
 */
export const styled = (text: string): string =>
  text.replace(/\u001b\[(\d{1,2})m/g, `${STYLE}$1${STYLE_END}`);

/** Control sequences of the marks without a value (ECMA-48, and the alternate screen of xterm). */
const SEQUENCES: Readonly<Record<string, string>> = {
  [LINE_START]: '\r',
  [LINE_CLEAR]: '\r\u001b[K',
  [SCREEN_ENTER]: '\u001b[?1049h\u001b[?25l',
  [SCREEN_LEAVE]: '\u001b[?25h\u001b[?1049l',
  [SCREEN_CLEAR]: '\u001b[H\u001b[2J',
};
const MARK = new RegExp(`${STYLE}(\\d{1,2})${STYLE_END}|[${Object.keys(SEQUENCES).join('')}]`, 'g');

/**
 * Text for a terminal or, with `marks: false`, for a file or pipe. On a terminal our marks become
 * control sequences. Every other control character becomes its escape.
 */
export function terminalText(text: string, { marks }: { readonly marks: boolean }): string {
  if (!marks) return printable(text);
  let shown = '';
  let from = 0;
  for (const found of text.matchAll(MARK)) {
    shown += printable(text.slice(from, found.index)) + controlSequence(found[0], found[1]);
    from = found.index + found[0].length;
  }
  return shown + printable(text.slice(from));
}

function controlSequence(mark: string, style: string | undefined): string {
  return style === undefined ? (SEQUENCES[mark] ?? '') : `\u001b[${style}m`;
}
