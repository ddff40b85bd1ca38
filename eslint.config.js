import { readFileSync } from 'node:fs';
import tseslint from 'typescript-eslint';
import noAmbient from './eslint-rules/no-ambient.js';
import noInexactMaths from './eslint-rules/no-inexact-maths.js';
import noRawFixed from './eslint-rules/no-raw-fixed.js';

const { ports } = JSON.parse(
  readFileSync(new URL('./eslint-rules/ambient-allow-list.json', import.meta.url), 'utf8'),
);

/** Modules whose results are decisions, or are hashed into them. */
const DECIDING = ['core', 'strategy', 'risk', 'execution', 'engine', 'exchange', 'market']
  .map((module) => `src/${module}/**/*.ts`)
  .concat(['strategies/**/*.ts']);

const TESTS = ['**/*.test.ts', 'test/**', 'bench/**'];

export default tseslint.config(
  { ignores: ['dist/', 'lib/', 'node_modules/', 'coverage/', 'backtests/', '.sluice/'] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.base],
    plugins: {
      repo: {
        rules: {
          'no-ambient': noAmbient,
          'no-inexact-maths': noInexactMaths,
          'no-raw-fixed': noRawFixed,
        },
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-for-in-array': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': 'error',
      '@typescript-eslint/require-array-sort-compare': ['error', { ignoreStringArrays: true }],
      '@typescript-eslint/restrict-plus-operands': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      eqeqeq: 'error',
      'no-console': 'error',
      'no-fallthrough': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['src/**/*.ts', 'strategies/**/*.ts'],
    ignores: TESTS,
    rules: { 'repo/no-ambient': ['error', { allow: ports }] },
  },
  {
    files: ['src/**/*.ts', 'strategies/**/*.ts'],
    ignores: [...TESTS, 'src/core/**'],
    rules: { 'repo/no-raw-fixed': 'error' },
  },
  {
    files: DECIDING,
    ignores: [...TESTS, 'src/market/indicators/**'],
    rules: { 'repo/no-inexact-maths': 'error' },
  },
  {
    files: DECIDING,
    ignores: [...TESTS, 'strategies/**'],
    rules: { '@typescript-eslint/unbound-method': 'error' },
  },
);
