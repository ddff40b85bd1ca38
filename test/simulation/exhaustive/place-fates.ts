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

/** The fate of one attempt. @returns the answer that its sender hears */
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

/** One end of a request, and the answer that its sender hears. */
type Fate = (arrival: Arrival) => Outcome<Placement>;

/** The ends of a request that may reach the venue. */
const ARRIVALS: readonly Fate[] = [
  ({ venue, terms, now }) => venue.accept(now, terms),
  ({ venue, terms, now }) => {
    venue.accept(now, terms);
    return unknown();
  },
  ({ delay }) => {
    delay();
    return unknown();
  },
  ({ venue }) => venue.burn(),
  ({ venue }) => {
    venue.burn();
    return unknown(500);
  },
];
/** In an order that choices are recorded by. */
const FREE: readonly Fate[] = [
  ...ARRIVALS,
  () => no('insufficient-balance'),
  () => no('rate-limited', 429),
  ({ venue, now }) => venue.forge(now),
  () => unsent,
];
const FREE_FENCE: readonly Fate[] = [...ARRIVALS, () => no('rate-limited', 429), () => unsent];

const fateOfFree = (choices: Choices, arrival: Arrival): Outcome<Placement> =>
  chosen(FREE, choices.choose(FREE.length, 'fate'))(arrival);

const fateOfFreeFence = (choices: Choices, arrival: Arrival): Outcome<Placement> =>
  chosen(FREE_FENCE, choices.choose(FREE_FENCE.length, 'fate of a fence'))(arrival);

function chosen(fates: readonly Fate[], index: number): Fate {
  const fate = fates[index];
  if (fate === undefined) throw new Error(`There is no fate ${index}`);
  return fate;
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
