import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A public symbol that says nothing of itself: `src/strategy/contract/views.ts:12 FillView.price`. */
export type Undocumented = string;

/**
 * What the faces at `files` export, and each property, method and accessor of it, without a doc comment of
 * its own or of what it implements or extends. What lies in node_modules is not ours to document.
 */
export function undocumented(files: readonly string[]): readonly Undocumented[] {
  const program = ts.createProgram([...files], compilerOptions());
  const checker = program.getTypeChecker();
  const found = new Set<Undocumented>();
  for (const file of files) {
    const source = program.getSourceFile(file);
    const entryModule = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    if (source === undefined || entryModule === undefined)
      throw new Error(`${file} exports nothing`);
    for (const exported of checker.getExportsOfModule(entryModule))
      for (const one of isUndocumented(aliased(exported, checker), checker)) found.add(one);
  }
  return [...found].sort();
}

export function compilerOptions(): ts.CompilerOptions {
  const path = join(ROOT, 'tsconfig.json');
  const { config } = ts.readConfigFile(path, (file) => ts.sys.readFile(file)) as {
    readonly config: unknown;
  };
  return ts.parseJsonConfigFileContent(config, ts.sys, dirname(path)).options;
}

export const aliased = (symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol =>
  (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);

function* isUndocumented(symbol: ts.Symbol, checker: ts.TypeChecker): Generator<Undocumented> {
  const own = (symbol.declarations ?? []).filter(
    (declaration) => !declaration.getSourceFile().fileName.includes('/node_modules/'),
  );
  const [first] = own;
  if (first === undefined) return;
  if (!hasDocComment(symbol, checker)) yield placeOf(first, symbol.name);
  for (const declaration of own) {
    for (const member of membersOf(declaration)) {
      const name = member.name?.getText() ?? '';
      const memberSymbol = checker.getSymbolAtLocation(member.name ?? member);
      if (memberSymbol === undefined || hasDocComment(memberSymbol, checker)) continue;
      if (!inherits(declaration, name, checker)) yield placeOf(member, `${symbol.name}.${name}`);
    }
  }
}

const hasDocComment = (symbol: ts.Symbol, checker: ts.TypeChecker): boolean =>
  symbol.getDocumentationComment(checker).length > 0;

/** Named members that a reader of the type sees, those of literals inside it too. */
function* membersOf(node: ts.Node): Generator<ts.TypeElement | ts.ClassElement> {
  if (ts.isBlock(node)) return;
  const isMember =
    ts.isPropertySignature(node) ||
    ts.isMethodSignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isGetAccessor(node);
  if (isMember && !isHidden(node)) yield node;
  if (isMember && isHidden(node)) return;
  for (const child of childrenOf(node)) yield* membersOf(child);
}

function childrenOf(node: ts.Node): readonly ts.Node[] {
  const children: ts.Node[] = [];
  node.forEachChild((child) => {
    children.push(child);
  });
  // The value of a constant, or of a default, is no part of its type.
  return children.filter((child) => !ts.isExpression(child));
}

const isHidden = (node: ts.ClassElement | ts.TypeElement): boolean =>
  (node.name !== undefined && ts.isPrivateIdentifier(node.name)) ||
  (ts.getCombinedModifierFlags(node as ts.Declaration) & ts.ModifierFlags.Private) !== 0;

/** Whether something that the declaration extends or implements documents the member. */
function inherits(declaration: ts.Node, name: string, checker: ts.TypeChecker): boolean {
  if (!ts.isClassDeclaration(declaration) && !ts.isInterfaceDeclaration(declaration)) return false;
  return (declaration.heritageClauses ?? [])
    .flatMap(({ types }) => [...types])
    .some((type) => {
      const member = checker.getTypeAtLocation(type).getProperty(name);
      return member !== undefined && hasDocComment(member, checker);
    });
}

function placeOf(node: ts.Node, name: string): Undocumented {
  const source = node.getSourceFile();
  const { line } = source.getLineAndCharacterOfPosition(node.getStart());
  return `${relative(ROOT, source.fileName)}:${line + 1} ${name}`;
}
