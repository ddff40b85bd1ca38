#!/usr/bin/env node
import { prepareOrExit } from '../scripts/prepare.mjs';

prepareOrExit();
const { main } = await import('../lib/src/app/cli.js');
process.exitCode = await main(process.argv.slice(2));
// A handle that a library left open must not keep a finished command alive.
setTimeout(() => process.exit(), 500).unref();
