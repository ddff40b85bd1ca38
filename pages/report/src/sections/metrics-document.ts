import markdown from '../../../../docs/metrics.md?raw';

/** A block of docs/metrics.md. */
export type Block =
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'paragraph'; readonly text: string };

/** Keys of figures in the first cell of a row. */
export const keysOf = (cells: readonly string[]): readonly string[] =>
  [...(cells[0] ?? '').matchAll(/`([a-z_]+)`/g)].map(([, key]) => key as string);

/** The page has its own title, so the first heading is left out. */
function blocksOf(text: string): readonly Block[] {
  return text
    .split(/\n{2,}/)
    .map((chunk) => chunk.trim())
    .filter((chunk) => chunk !== '' && !chunk.startsWith('# '))
    .map(blockOf);
}

function blockOf(chunk: string): Block {
  const lines = chunk.split('\n');
  if (chunk.startsWith('#')) return { kind: 'heading', text: chunk.replace(/^#+ /, '') };
  if (chunk.startsWith('|')) return { kind: 'table', rows: lines.slice(2).map(cellsOf) };
  if (chunk.startsWith('- '))
    return { kind: 'list', items: chunk.slice(2).split(/\n- /).map(oneParagraph) };
  return { kind: 'paragraph', text: oneParagraph(chunk) };
}

const cellsOf = (line: string): readonly string[] =>
  line
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());

const oneParagraph = (text: string): string => text.replace(/\s*\n\s*/g, ' ');

export const blocks = blocksOf(markdown);

/** Keys of figures that have a definition. */
export const definedKeys: ReadonlySet<string> = new Set(
  blocks.flatMap((block) => (block.kind === 'table' ? block.rows.flatMap(keysOf) : [])),
);
