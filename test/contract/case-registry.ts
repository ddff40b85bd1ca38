import type { VenueUnderTest } from './venue-under-test.js';

export interface Case {
  /** `R12.2`: the second case of row R12. */
  readonly id: string;
  readonly row: string;
  /** A sentence about behaviour. */
  readonly title: string;
  readonly run: (venue: VenueUnderTest) => Promise<void>;
  /** Sends only GETs, and needs no state of the account. */
  readonly readOnly: boolean;
  /** Tests rate limits: needs a venue with limits, and no pacing. */
  readonly limits: boolean;
  /** Minutes of requests: only with `--long`. */
  readonly long: boolean;
}

export interface CaseOptions {
  readonly readOnly?: true;
  readonly limits?: true;
  readonly long?: true;
}

/** Collects the cases of a file; numbers them within their rows in the order they are written. */
export class CaseRegistry {
  readonly cases: Case[] = [];

  add(row: string, title: string, run: Case['run'], options: CaseOptions = {}): void {
    const count = this.cases.filter((earlier) => earlier.row === row).length;
    this.cases.push({
      id: `${row}.${count + 1}`,
      row,
      title,
      run,
      readOnly: options.readOnly ?? false,
      limits: options.limits ?? false,
      long: options.long ?? false,
    });
  }
}
