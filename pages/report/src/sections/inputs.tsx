import { useState } from 'preact/hooks';
import type { PageData } from '../../../../src/report/page/page-data.js';
import { wordsOf } from '../text.js';

/** The inputs as they are kept, and the command that repeats the run. */
export function Inputs({ data: { inputs, repeat, runHash } }: { data: PageData }) {
  return (
    <>
      {repeat === null ? (
        <p class="absent">This run keeps no command that repeats it.</p>
      ) : (
        <Command text={repeat} />
      )}
      {runHash !== null && (
        <p class="note">
          Hash of the run: <code>{runHash}</code>. A repetition has the same.
        </p>
      )}
      {inputs === null || inputs === undefined ? (
        <p class="absent">This run keeps no list of its inputs.</p>
      ) : (
        <div class="inputs">
          <Value value={inputs} />
        </div>
      )}
    </>
  );
}

function Command({ text }: { text: string }) {
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
      <pre tabIndex={0} role="region" aria-label="Command that repeats the run">
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

/** Plain data as nested lists of names and values. */
function Value({ value }: { value: unknown }) {
  if (Array.isArray(value)) {
    const plain = value.every((each) => typeof each !== 'object' || each === null);
    if (plain) return <>{value.map(String).join(', ') || 'none'}</>;
    return (
      <ol>
        {value.map((each, index) => (
          <li key={index}>
            <Value value={each} />
          </li>
        ))}
      </ol>
    );
  }
  if (typeof value !== 'object' || value === null)
    return <>{value === null ? '–' : String(value)}</>;
  const entries = Object.entries(value);
  if (entries.length === 0) return <>none</>;
  return (
    <dl>
      {entries.map(([key, each]) => (
        <div key={key}>
          <dt>{wordsOf(key)}</dt>
          <dd>
            <Value value={each} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
