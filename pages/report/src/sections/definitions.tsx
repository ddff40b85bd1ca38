import type { ComponentChildren } from 'preact';
import { blocks, keysOf, type Block } from './metrics-document.js';

/** The content of docs/metrics.md. Each figure has an anchor. */
export function Definitions() {
  return (
    <div class="definitions">
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { block: Block }) {
  if (block.kind === 'heading') return <h3>{block.text}</h3>;
  if (block.kind === 'paragraph') return <p>{inline(block.text)}</p>;
  if (block.kind === 'list')
    return (
      <ul>
        {block.items.map((item) => (
          <li key={item}>{inline(item)}</li>
        ))}
      </ul>
    );
  return (
    <dl>
      {block.rows.map((cells) => (
        <div key={cells[0]} id={idOf(cells)} tabIndex={-1}>
          <dt>
            {inline(cells[0] ?? '')}
            {keysOf(cells)
              .slice(1)
              .map((key) => (
                <span key={key} id={`def-${key}`} />
              ))}
          </dt>
          <dd>{inline(cells.slice(1).join(' '))}</dd>
        </div>
      ))}
    </dl>
  );
}

const idOf = (cells: readonly string[]): string | undefined => {
  const [key] = keysOf(cells);
  return key === undefined ? undefined : `def-${key}`;
};

/** Code and strong words; a link becomes its text. */
function inline(text: string): ComponentChildren {
  return text
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .map((part) =>
      part.startsWith('`') ? (
        <code>{part.slice(1, -1)}</code>
      ) : part.startsWith('**') ? (
        <strong>{part.slice(2, -2)}</strong>
      ) : (
        part
      ),
    );
}
