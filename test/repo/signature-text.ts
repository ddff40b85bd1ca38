import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import prettier from 'prettier';
import ts from 'typescript';
import { aliased, compilerOptions } from './public-symbols.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A public type: its name and the text of its declarations, doc comments included. */
export type Signatures = ReadonlyMap<string, string>;

/**
 * The exports of `face` that a file in one of `folders` declares, without `export` and link marks. Of an
 * overloaded function the overloads alone are public.
 */
export function signaturesOf(entryPoint: string, folders: readonly string[]): Signatures {
  const program = ts.createProgram([entryPoint], compilerOptions());
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entryPoint);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${entryPoint} exports nothing`);
  return new Map(
    checker
      .getExportsOfModule(module)
      .map(
        (exported) => [exported.name, declarations(aliased(exported, checker), folders)] as const,
      )
      .filter(([, text]) => text !== ''),
  );
}

const declarations = ({ declarations: all = [] }: ts.Symbol, folders: readonly string[]): string =>
  all
    .filter((one) => folders.includes(dirname(one.getSourceFile().fileName)))
    .filter((one) => !(ts.isFunctionDeclaration(one) && one.body !== undefined))
    .map(textOf)
    .join('\n');

const textOf = (declaration: ts.Declaration): string =>
  declaration
    .getSourceFile()
    .text.slice(declaration.getStart(undefined, true), declaration.end)
    .replace(/^export /m, '')
    .replace(/\{@link (\S+?)\}/g, '`$1`');

const FENCE = /^```ts signatures:(\S+)\n[\s\S]*?^```$/gm;

/** The names that the fences `ts signatures:A,B` of a page list. */
export const listedNames = (page: string): readonly string[] =>
  [...page.matchAll(FENCE)].flatMap(([, names = '']) => names.split(','));

/** The page with each of these fences filled from the declarations. */
export async function withSignatures(page: string, signatures: Signatures): Promise<string> {
  const config = await prettier.resolveConfig(join(ROOT, 'docs/strategies.md'));
  const filled = new Map<string, string>();
  for (const [, names = ''] of page.matchAll(FENCE)) {
    const text = names.split(',').map((name) => signatures.get(name) ?? `// ${name} is not public`);
    filled.set(
      names,
      await prettier.format(text.join('\n\n'), { ...config, parser: 'typescript' }),
    );
  }
  return page.replace(FENCE, (_, names: string) => fence(names, filled.get(names) ?? ''));
}

const fence = (names: string, text: string): string =>
  `\`\`\`ts signatures:${names}\n${text}\`\`\``;

/** The types that a declaration's text names, its own type parameters left out. */
export function namedTypes(text: string): ReadonlySet<string> {
  const source = ts.createSourceFile('signatures.ts', text, ts.ScriptTarget.Latest, true);
  const [names, own] = [new Set<string>(), new Set<string>()];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeParameterDeclaration(node)) own.add(node.name.text);
    if (ts.isTypeReferenceNode(node)) names.add(leadingIdentifier(node.typeName));
    if (ts.isExpressionWithTypeArguments(node)) names.add(node.expression.getText());
    node.forEachChild(visit);
  };
  visit(source);
  return new Set([...names].filter((name) => !own.has(name)));
}

const leadingIdentifier = (name: ts.EntityName): string =>
  ts.isIdentifier(name) ? name.text : leadingIdentifier(name.left);
