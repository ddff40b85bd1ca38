import type { Journal } from '../../execution/journal/journal.js';
import type { Recovery } from '../../execution/recovery/recovery.js';

/** The word that adopts all that order history shows, instead of one order. */
export const WHOLE_HISTORY = 'history';
/** Ids that a message names; the journal has all. */
const MOST_NAMED = 20;

/** An order at the venue that carries our namespace, and that this journal did not send. */
export interface Stray {
  readonly clientOrderId: string;
  readonly orderId: string;
}

export interface SecondWriterParts {
  /** As the configuration names it. */
  readonly accountName: string;
  readonly journal: Pick<Journal, 'stray' | 'command'>;
  readonly halt: (reason: string) => void;
}

/**
 * Orders of our namespace that are not our journal's: another bot runs with our account name, or this
 * folder is an older copy of itself (J13, J14). Each is journaled and halts, in this life and the next
 * ones, until a person adopts it.
 */
export class SecondWriter {
  readonly #parts: SecondWriterParts;
  readonly #adopted = new Set<string>();
  /** Journaled and not adopted. */
  readonly #met = new Set<string>();
  #adoptsAll = false;

  constructor(parts: SecondWriterParts) {
    this.#parts = parts;
  }

  takeOver({ adopted, strays }: Pick<Recovery, 'adopted' | 'strays'>): void {
    for (const id of adopted) this.#adopted.add(id);
    for (const id of strays) this.#met.add(id);
  }

  isAdopted(clientOrderId: string): boolean {
    return this.#adopted.has(clientOrderId);
  }

  /** The same of one that has the id of an order of ours; `history` adopts it here. */
  adopts(clientOrderId: string): boolean {
    if (this.#adoptsAll && !this.isAdopted(clientOrderId)) this.#adoptOne(clientOrderId);
    return this.isAdopted(clientOrderId);
  }

  /** A person knows of it: a client order id, or `history` until that was read once. */
  adopt(what: string): void {
    if (what === WHOLE_HISTORY) this.#adoptsAll = true;
    else {
      this.#adopted.add(what);
      this.#met.delete(what);
    }
  }

  /** Halts for what an earlier life met and nobody has adopted. */
  start(): void {
    const met = [...this.#met];
    if (met.length === 0) return;
    if (this.#adoptsAll) for (const id of met) this.#adoptOne(id);
    else this.#parts.halt(this.#text(met));
  }

  meet(strays: readonly Stray[]): void {
    const fresh = strays.filter(({ clientOrderId: id }) => !this.#adopted.has(id));
    if (this.#adoptsAll) for (const { clientOrderId } of fresh) this.#adoptOne(clientOrderId);
    const unknown = fresh.filter(({ clientOrderId: id }) => !this.#isKnown(id));
    if (unknown.length === 0) return;
    for (const stray of unknown) {
      this.#met.add(stray.clientOrderId);
      this.#parts.journal.stray(stray.clientOrderId, stray.orderId);
    }
    this.#parts.halt(this.#text(unknown.map(({ clientOrderId }) => clientOrderId)));
  }

  /** All of history was read: what comes to light from now on is news again. */
  historyRead(): void {
    this.#adoptsAll = false;
  }

  #isKnown(id: string): boolean {
    return this.#adopted.has(id) || this.#met.has(id);
  }

  #adoptOne(id: string): void {
    this.adopt(id);
    this.#parts.journal.command(`${WHOLE_HISTORY}-${id}`, { kind: 'adopt', what: id });
  }

  #text(ids: readonly string[]): string {
    const named = ids.slice(0, MOST_NAMED);
    const more = ids.length - named.length;
    const [orders, them] = ids.length === 1 ? ['an order', 'it'] : [`${ids.length} orders`, 'them'];
    return (
      `the venue has ${orders} of account "${this.#parts.accountName}" that the journal of this folder ` +
      `did not send: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}. Either another bot runs ` +
      'with this account name (each state folder on a venue account needs its own `account`), or this ' +
      'folder is an older copy or a backup. Stop the other bot or give it another `account`; ' +
      `then adopt ${them} with --adopt ${more > 0 ? WHOLE_HISTORY : named.join(' ')}` +
      (more > 0 ? '' : `, or with --adopt ${WHOLE_HISTORY} all that order history shows`)
    );
  }
}
