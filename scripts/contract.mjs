#!/usr/bin/env node
// The venue contract suite (docs/testing.md). Its cases are TypeScript: jiti reads them as they are.
import { fileURLToPath } from 'node:url';
import { createJiti } from 'jiti';

const jiti = createJiti(import.meta.url);
const main = fileURLToPath(new URL('../test/contract/main.ts', import.meta.url));
const { main: run } = await jiti.import(main);
try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`contract: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
