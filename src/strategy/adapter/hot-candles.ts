import type { Observable, Subscriber } from 'rxjs';
import type { Candle } from '../../core/candle.js';
import { rxjs } from './rxjs-lazy.js';

/** Candles of one series as a hot stream. A Subject takes a closure and an iterator at each value. */
export class HotCandles {
  readonly candles$: Observable<Candle>;
  /** A new list at each change: a subscription that a candle causes begins with the next one. */
  #subscribers: readonly Subscriber<Candle>[] = [];

  constructor() {
    const { Observable } = rxjs();
    this.candles$ = new Observable<Candle>((subscriber) => {
      this.#subscribers = [...this.#subscribers, subscriber];
      return () => {
        this.#subscribers = this.#subscribers.filter((each) => each !== subscriber);
      };
    });
  }

  get isObserved(): boolean {
    return this.#subscribers.length > 0;
  }

  next(candle: Candle): void {
    for (const subscriber of this.#subscribers) subscriber.next(candle);
  }
}
