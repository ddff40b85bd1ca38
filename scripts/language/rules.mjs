// The English of the project as checks of one line of text (CONTRIBUTING.md, "Words").

/** Private words and the term of docs/glossary.md that says the same. */
const WORDS = [
  [/\btold\b|\btells?\b/i, 'notify, report, print, show'],
  [/\bwho(m|se)?ever\b|\bwhatever\b/i, 'name the subject'],
  [/\bnobody\b|\bsomebody\b/i, 'name the subject, or "no … "'],
  [/\bin vain\b/i, '"without effect", "not found"'],
  [/\bwish(es)?\b/i, 'request, spec'],
  [/\bseats?\b/i, 'strategy instance'],
  [/\bgazette\b|\btellers?\b/i, 'event, dispatcher'],
  [/\bsabotages?\b/i, 'mutant'],
  [/\bmakes? of (it|that|them)\b/i, 'name the result'],
];
/** A sentence begins with its subject, and the subject is a noun. */
const HEADLESS =
  /(^|[.:;] |\/\*\* ?|\/\/ )(What|Who|Whoever|Whatever)\s+(?!(is|are|does|do|can|if)\b[^.]*\?)[a-z]/;
const TYPES = 'build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test';
const SUBJECT = new RegExp(`^(${TYPES})(\\([a-z0-9/-]+\\))?!?: [^A-Z\\s].*[^.]$`);
const LONGEST_SUBJECT = 65;
/** A line, or the body of a commit, may disagree: `language-ok: the reason`. */
const DISAGREES = /language-ok: \S+/i;

/**
 * @param line text of a changed line
 * @param isCode only its comments and texts count
 * @returns the faults of the line, each with its mend
 */
export function lineFaults(line, isCode) {
  if (DISAGREES.test(line)) return [];
  const prose = isCode ? proseOf(line) : line;
  const faults = WORDS.flatMap(([pattern, mend]) => {
    const found = pattern.exec(prose)?.[0];
    return found === undefined ? [] : [`"${found}" is a private word: ${mend}`];
  });
  if (HEADLESS.test(prose.trim())) faults.push('the subject of a sentence is a noun, not a clause');
  return faults;
}

/** Comments, and texts of more than one word. */
function proseOf(line) {
  const comment = /(\/\/|\/\*\*?|^\s*\*)(.*)$/.exec(line)?.[0] ?? '';
  const texts = [...line.matchAll(/(['"`])((?:(?!\1).)*\s(?:(?!\1).)*)\1/g)].map(([text]) => text);
  return [comment, ...texts].join(' ');
}

/** @returns the faults of a commit message */
export function commitFaults({ subject, body = '' }) {
  if (DISAGREES.test(body) || /^Merge /.test(subject)) return [];
  const faults = lineFaults(subject, false);
  if (!SUBJECT.test(subject)) faults.push('a subject is `type(module): imperative, the change`');
  if (subject.length > LONGEST_SUBJECT)
    faults.push(`a subject has at most ${LONGEST_SUBJECT} characters, this one ${subject.length}`);
  return faults;
}
