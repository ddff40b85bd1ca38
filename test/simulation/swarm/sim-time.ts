import { VirtualTime } from '../../support/fakes/virtual-time.js';

/** Virtual time that tells when a step is over, and can be slept in. */
export class SimTime extends VirtualTime {
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }
}
