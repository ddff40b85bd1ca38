import type { PageData } from '../../../../src/report/page/page-data.js';
import { wordsOf } from '../text.js';
import { Command } from './command.js';

/** The inputs as they are kept, and the command that repeats the run. */
export function Inputs({ data: { inputs, repeat, runHash } }: { data: PageData }) {
  return (
    <>
      {repeat === null ? (
        <p class="absent">This run keeps no command that repeats it.</p>
      ) : (
        <Command text={repeat} name="Command that repeats the run" />
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
