import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { existsSync } from 'node:fs';
import type { Finding } from './finding.js';

/** The part of the TypeScript API in use. The compiler is the user's, of any version. */
interface Compiler {
  readonly version: string;
  readonly sys: unknown;
  findConfigFile(folder: string, exists: (file: string) => boolean): string | undefined;
  readConfigFile(file: string, read: unknown): { readonly config?: unknown };
  parseJsonConfigFileContent(
    config: unknown,
    host: unknown,
    folder: string,
  ): { readonly options: Record<string, unknown> };
  createProgram(files: readonly string[], options: Record<string, unknown>): unknown;
  getPreEmitDiagnostics(program: unknown): readonly Diagnostic[];
  flattenDiagnosticMessageText(text: unknown, newLine: string): string;
  readonly ScriptTarget: { readonly ES2023: number };
  readonly ModuleKind: { readonly NodeNext: number };
  readonly ModuleResolutionKind: { readonly NodeNext: number };
}

interface Diagnostic {
  readonly code: number;
  readonly messageText: unknown;
  readonly start?: number;
  readonly file?: {
    readonly fileName: string;
    getLineAndCharacterOfPosition(at: number): {
      readonly line: number;
      readonly character: number;
    };
  };
}

export interface TypeCheck {
  /** The compiler version, or the reason why types were not checked. */
  readonly how: string;
  readonly findings: readonly Finding[];
}

/** Checks a file's types with the TypeScript of its project, if it has one. */
export function checkTypes(file: string): TypeCheck {
  if (!/\.[mc]?ts$/.test(file)) return { how: 'not checked: it is not TypeScript', findings: [] };
  const compiler = compilerFor(file);
  if (compiler === undefined)
    return {
      how: 'not checked: no typescript is installed in its project (npm install -D typescript)',
      findings: [],
    };
  const program = compiler.createProgram([file], optionsFor(file, compiler));
  const findings = compiler
    .getPreEmitDiagnostics(program)
    .filter(({ file: at }) => at !== undefined && !at.fileName.includes('/node_modules/'))
    .map((diagnostic) => findingOf(diagnostic, compiler));
  return { how: `checked with TypeScript ${compiler.version}`, findings };
}

function compilerFor(file: string): Compiler | undefined {
  try {
    const compiler = createRequire(pathToFileURL(file))('typescript') as Partial<Compiler>;
    return typeof compiler.createProgram === 'function' ? (compiler as Compiler) : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')
      return undefined;
    throw error;
  }
}

/** The options of the project, else strict ones. */
function optionsFor(file: string, compiler: Compiler): Record<string, unknown> {
  const { NodeNext } = compiler.ModuleKind;
  const strict = {
    strict: true,
    target: compiler.ScriptTarget.ES2023,
    module: NodeNext,
    moduleResolution: compiler.ModuleResolutionKind.NodeNext,
  };
  const configFile = compiler.findConfigFile(dirname(file), existsSync);
  const own: Record<string, unknown> =
    configFile === undefined
      ? strict
      : compiler.parseJsonConfigFileContent(
          compiler.readConfigFile(
            configFile,
            (compiler.sys as { readonly readFile: unknown }).readFile,
          ).config,
          compiler.sys,
          dirname(configFile),
        ).options;
  const given = own['paths'] as Record<string, readonly string[]> | undefined;
  return {
    ...own,
    noEmit: true,
    skipLibCheck: true,
    composite: false,
    incremental: false,
    // A strategy in any folder resolves the contract of this Sluice.
    paths: { ...given, ...pathsTo('sluice/strategy', CONTRACT), ...pathsTo('rxjs', rxjsTypes()) },
    rootDir: undefined,
  };
}

const CONTRACT = fileURLToPath(new URL('../../strategy/index', import.meta.url));

const pathsTo = (name: string, path: string): Record<string, readonly string[]> => {
  const file = ['.ts', '.d.ts', ''].map((ending) => path + ending).find(existsSync);
  return file === undefined ? {} : { [name]: [file] };
};

const rxjsTypes = (): string =>
  createRequire(import.meta.url)
    .resolve('rxjs')
    .replace(/dist\/.*$/, 'dist/types/index');

function findingOf({ file, start, messageText }: Diagnostic, compiler: Compiler): Finding {
  const at = file?.getLineAndCharacterOfPosition(start ?? 0);
  const line = at === undefined ? '' : `:${at.line + 1}:${at.character + 1}`;
  return {
    place: `${file?.fileName ?? ''}${line}`,
    message: compiler.flattenDiagnosticMessageText(messageText, ' '),
  };
}
