import { useState } from 'preact/hooks';

/** A shell command, and a button that copies it. */
export function Command({ text, name }: { text: string; name: string }) {
  const [state, setState] = useState('Copy');
  // A browser may deny the clipboard to a page of a file.
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => {
        setState('Copied');
      },
      () => {
        setState('Not allowed');
      },
    );
  };
  return (
    <div class="command">
      <pre tabIndex={0} role="region" aria-label={name}>
        <code>{text}</code>
      </pre>
      {window.isSecureContext && (
        <button type="button" class="quiet" onClick={copy} aria-live="polite">
          {state}
        </button>
      )}
    </div>
  );
}
