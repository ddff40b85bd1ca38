// Finds the place of a mutant in the sources: the declaration by its name, the pattern by its tokens.
// A move of a file, a new line break or a trailing comma does not touch it.
import ts from 'typescript';

const SCRIPT = ts.ScriptTarget.ES2023;

/**
 * @param mutant `in` names a declaration, `Class.member`, `function` or `Class`; `find` stands once in it
 * @param sources path → text of all sources
 * @returns `{ file, from, to }`: `from`, the text of the declaration, stands once in the file
 * @throws {Error} when the pattern does not stand exactly once in declarations of that name
 */
export function patchOf({ name, in: place, find, replace }, sources) {
  const pattern = tokensOf(find);
  if (pattern.length === 0) throw new Error(`${name}: the pattern is empty`);
  const [owner] = place.split('.');
  const matches = [];
  for (const [file, text] of sources) {
    if (!file.startsWith('src/') || !text.includes(owner)) continue;
    for (const node of declarationsOf(parsed(file, text), place)) {
      const from = node.getText();
      const tokens = tokensOf(from);
      for (const [first, last] of positionsOf(tokens, pattern))
        matches.push({ file, text, from, start: tokens[first].start, end: tokens[last].end });
    }
  }
  if (matches.length !== 1)
    throw new Error(`${name}: the pattern stands ${matches.length} times in ${place}`);
  const [{ file, text, from, start, end }] = matches;
  if (text.split(from).length !== 2) throw new Error(`${name}: ${place} stands twice in ${file}`);
  return { file, from, to: from.slice(0, start) + replace + from.slice(end) };
}

const cache = new Map();
function parsed(file, text) {
  const key = `${file}\0${text.length}`;
  if (cache.get(key)?.text !== text) cache.set(key, ts.createSourceFile(file, text, SCRIPT, true));
  return cache.get(key);
}

function declarationsOf(source, place) {
  const [owner, member] = place.split('.');
  const own = source.statements.flatMap((statement) => named(statement, owner));
  if (member === undefined) return own;
  return own.flatMap((node) => (node.members ?? []).filter((each) => nameOf(each) === member));
}

function named(statement, name) {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.some((each) => each.name.getText() === name)
      ? [statement]
      : [];
  return statement.name?.getText() === name ? [statement] : [];
}

export const nameOf = (member) =>
  ts.isConstructorDeclaration(member) ? 'constructor' : member.name?.getText();

/** Tokens without comments and without trailing commas. */
export function tokensOf(text) {
  const scanner = ts.createScanner(SCRIPT, true, ts.LanguageVariant.Standard, text);
  const tokens = [];
  const templates = [];
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
    if (kind === ts.SyntaxKind.TemplateHead) templates.push(0);
    else if (kind === ts.SyntaxKind.OpenBraceToken && templates.length > 0)
      templates.push(templates.pop() + 1);
    else if (kind === ts.SyntaxKind.CloseBraceToken && templates.length > 0) {
      if (templates.at(-1) > 0) templates.push(templates.pop() - 1);
      else {
        kind = scanner.reScanTemplateToken(false);
        if (kind === ts.SyntaxKind.TemplateTail) templates.pop();
      }
    }
    tokens.push({
      text: scanner.getTokenText(),
      start: scanner.getTokenStart(),
      end: scanner.getTokenEnd(),
    });
  }
  return tokens.filter(
    ({ text: each }, index) => each !== ',' || !/^[)\]}]$/.test(tokens[index + 1]?.text ?? ''),
  );
}

function positionsOf(tokens, pattern) {
  const found = [];
  for (let at = 0; at + pattern.length <= tokens.length; at += 1)
    if (pattern.every(({ text }, index) => tokens[at + index].text === text))
      found.push([at, at + pattern.length - 1]);
  return found;
}
