import type { OrderTerms } from '../../../src/core/order.js';
import type { Outcome, Placement } from '../../../src/core/request.js';
import { no, unknown, unsent } from '../../harness/protocol-rig.js';
import type { Choices } from './choices.js';
import type { PlaceVenue } from './place-venue.js';

interface Arrival {
  readonly venue: PlaceVenue;
  readonly terms: OrderTerms;
  /** Monotonic ms. */
  readonly now: number;
  /** Whether a repeat, too, may prove not to have left. */
  readonly mayStay: boolean;
  /** It stays on its way. */
  readonly delay: () => void;
}

/** What becomes of one attempt, and what its sender hears of it. */
export function fateOfPlace(choices: Choices, arrival: Arrival): Outcome<Placement> {
  if (arrival.venue.quiet) return arrival.venue.accept(arrival.now, arrival.terms);
  return arrival.venue.isTaken ? fateOfTaken(choices, arrival) : fateOfFree(choices, arrival);
}

/** The same of a fence. `isChosen`: its fate is; otherwise it is served as it should be. */
export function fateOfFence(
  choices: Choices,
  arrival: Arrival,
  isChosen: boolean,
): Outcome<Placement> {
  const { venue, terms, now } = arrival;
  if (venue.quiet || !isChosen) return venue.accept(now, terms);
  return venue.isTaken ? fateOfTaken(choices, arrival) : fateOfFreeFence(choices, arrival);
}

function fateOfFree(choices: Choices, { venue, terms, now, delay }: Arrival): Outcome<Placement> {
  switch (choices.choose(9, 'fate')) {
    case 0:
      return venue.accept(now, terms);
    case 1:
      venue.accept(now, terms);
      return unknown();
    case 2:
      delay();
      return unknown();
    case 3:
      return venue.burn();
    case 4:
      venue.burn();
      return unknown(500);
    case 5:
      return no('insufficient-balance');
    case 6:
      return no('rate-limited', 429);
    case 7:
      return venue.forge(now);
    default:
      return unsent;
  }
}

function fateOfFreeFence(
  choices: Choices,
  { venue, terms, now, delay }: Arrival,
): Outcome<Placement> {
  switch (choices.choose(7, 'fate of a fence')) {
    case 0:
      return venue.accept(now, terms);
    case 1:
      venue.accept(now, terms);
      return unknown();
    case 2:
      delay();
      return unknown();
    case 3:
      return venue.burn();
    case 4:
      venue.burn();
      return unknown(500);
    case 5:
      return no('rate-limited', 429);
    default:
      return unsent;
  }
}

/** The id is taken, so that nothing that is sent under it changes anything. */
function fateOfTaken(
  choices: Choices,
  { venue, terms, now, mayStay }: Arrival,
): Outcome<Placement> {
  switch (choices.choose(mayStay ? 5 : 4, 'fate of a repeat')) {
    case 0:
      return venue.accept(now, terms);
    case 1:
      // The margin that is missing is what the first attempt took (hazard A5).
      return no('insufficient-balance');
    case 2:
      return no('locked', 423);
    case 3:
      return unknown();
    default:
      return unsent;
  }
}
