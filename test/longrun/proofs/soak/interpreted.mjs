// Loaded before the daemon: no function is compiled, and each has its type feedback from its first call on. Compiled code
// and feedback then rise no more once each function has run, so that a later rise of the heap is data.
import { setFlagsFromString } from 'node:v8';

for (const flag of ['--no-opt', '--no-maglev', '--no-sparkplug', '--no-lazy-feedback-allocation'])
  setFlagsFromString(flag);
