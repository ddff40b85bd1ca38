import { nodeClock } from '../node-clock.js';

/**
 * `timeout` sends a signal to its child and then to the group of it, and npm passes on a Ctrl-C that the terminal has
 * sent to the child already: a repetition within this time is the same signal.
 */
const REPETITION_MS = 200;

type StopSignal = 'SIGINT' | 'SIGTERM';
const SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM'];

/** Listens for Ctrl-C and SIGTERM. @returns a function that removes the listener */
export function onStopSignal(listener: (signal: StopSignal) => void): () => void {
  let handledAt = Number.NEGATIVE_INFINITY;
  let isRemoved = false;
  const repetitionMs = (): number => REPETITION_MS - (nodeClock.monotonicMs() - handledAt);
  const handle = (signal: StopSignal): void => {
    if (isRemoved || repetitionMs() > 0) return;
    handledAt = nodeClock.monotonicMs();
    listener(signal);
  };
  for (const signal of SIGNALS) process.on(signal, handle);
  const remove = (): void => {
    for (const signal of SIGNALS) process.off(signal, handle);
  };
  return () => {
    isRemoved = true;
    // Without a listener a repetition would end the process.
    if (repetitionMs() > 0) setTimeout(remove, repetitionMs()).unref();
    else remove();
  };
}
