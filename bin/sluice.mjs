#!/usr/bin/env node
import { prepareOrExit } from '../scripts/prepare.mjs';

prepareOrExit();
// Its thread loads beside this one.
if (process.argv[2] === 'backtest')
  (await import('../lib/src/cli/commands/backtest/backtest-worker.js')).prestartBacktestWorker();
const { main } = await import('../lib/src/cli/main.js');
process.exitCode = await main(process.argv.slice(2));
// A handle that a library left open must not keep a finished command alive.
setTimeout(() => process.exit(), 500).unref();
