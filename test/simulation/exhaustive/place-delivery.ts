import type { OrderTerms } from '../../../src/core/order.js';
import type { Outcome, Placement } from '../../../src/core/request.js';
import { no, unknown, unsent } from '../../support/rigs/protocol-rig.js';
import type { Choices } from './choices.js';
import type { SingleOrderExchange } from './single-order-exchange.js';

interface Arrival {
  readonly venue: SingleOrderExchange;
  readonly terms: OrderTerms;
  /** Monotonic ms. */
  readonly now: number;
  /** Whether a repeated attempt may be proved unsent as well. */
  readonly mayNotLeave: boolean;
  /** Leaves the request in flight. */
  readonly delay: () => void;
}

/** Delivers one attempt. @returns the reply to its sender */
export function deliverPlace(choices: Choices, arrival: Arrival): Outcome<Placement> {
  if (arrival.venue.quiet) return arrival.venue.accept(arrival.now, arrival.terms);
  return arrival.venue.isTaken
    ? deliverToTakenId(choices, arrival)
    : deliverToFreeId(choices, arrival);
}

/** Delivers a fence. `isChosen`: its fate is a choice; otherwise it is served correctly. */
export function deliverFence(
  choices: Choices,
  arrival: Arrival,
  isChosen: boolean,
): Outcome<Placement> {
  const { venue, terms, now } = arrival;
  if (venue.quiet || !isChosen) return venue.accept(now, terms);
  return venue.isTaken
    ? deliverToTakenId(choices, arrival)
    : deliverFenceToFreeId(choices, arrival);
}

/** One outcome of a request. @returns the reply to its sender */
type PlaceDelivery = (arrival: Arrival) => Outcome<Placement>;

/** Outcomes of a request that may reach the venue. */
const ARRIVED_DELIVERIES: readonly PlaceDelivery[] = [
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
/** The order is part of recorded choices. */
const FREE_ID_DELIVERIES: readonly PlaceDelivery[] = [
  ...ARRIVED_DELIVERIES,
  () => no('insufficient-balance'),
  () => no('rate-limited', 429),
  ({ venue, now }) => venue.acceptExternal(now),
  () => unsent,
];
const FREE_ID_FENCE_DELIVERIES: readonly PlaceDelivery[] = [
  ...ARRIVED_DELIVERIES,
  () => no('rate-limited', 429),
  () => unsent,
];

const deliverToFreeId = (choices: Choices, arrival: Arrival): Outcome<Placement> =>
  chosen(FREE_ID_DELIVERIES, choices.choose(FREE_ID_DELIVERIES.length, 'fate'))(arrival);

const deliverFenceToFreeId = (choices: Choices, arrival: Arrival): Outcome<Placement> =>
  chosen(
    FREE_ID_FENCE_DELIVERIES,
    choices.choose(FREE_ID_FENCE_DELIVERIES.length, 'fate of a fence'),
  )(arrival);

function chosen(deliveries: readonly PlaceDelivery[], index: number): PlaceDelivery {
  const delivery = deliveries[index];
  if (delivery === undefined) throw new Error(`There is no fate ${index}`);
  return delivery;
}

/** The id is taken, so that no further request under it has an effect. */
function deliverToTakenId(
  choices: Choices,
  { venue, terms, now, mayNotLeave }: Arrival,
): Outcome<Placement> {
  switch (choices.choose(mayNotLeave ? 5 : 4, 'fate of a repeat')) {
    case 0:
      return venue.accept(now, terms);
    case 1:
      // The first attempt took the margin that is missing now (hazard A5).
      return no('insufficient-balance');
    case 2:
      return no('locked', 423);
    case 3:
      return unknown();
    default:
      return unsent;
  }
}
