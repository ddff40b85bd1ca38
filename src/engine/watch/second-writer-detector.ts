import type { Journal } from '../../execution/journal/journal.js';
import type { Recovery } from '../../execution/recovery/recovery.js';

/** Adopts all strays in order history instead of one order. */
export const WHOLE_HISTORY = 'history';
/** Ids named in a message; the journal has all of them. */
const MAX_NAMED = 20;

/** An order at the venue that carries our namespace, and that this journal did not send. */
export interface StrayOrder {
  readonly clientOrderId: string;
  readonly orderId: string;
}

export interface SecondWriterDetectorParts {
  /** As the configuration names it. */
  readonly accountName: string;
  readonly journal: Pick<Journal, 'stray' | 'command'>;
  readonly halt: (reason: string) => void;
}

/**
 * Detects orders of our namespace that our journal did not send: another bot uses our account name, or this
 * folder is an older copy of itself (hazards J13, J14). Each is journaled and halts this run and the next
 * ones, until a person adopts it.
 */
export class SecondWriterDetector {
  readonly #parts: SecondWriterDetectorParts;
  readonly #adopted = new Set<string>();
  /** Journaled and not adopted. */
  readonly #unadopted = new Set<string>();
  #adoptsHistory = false;

  constructor(parts: SecondWriterDetectorParts) {
    this.#parts = parts;
  }

  restore({ adopted, strays }: Pick<Recovery, 'adopted' | 'strays'>): void {
    for (const id of adopted) this.#adopted.add(id);
    for (const id of strays) this.#unadopted.add(id);
  }

  isAdopted(clientOrderId: string): boolean {
    return this.#adopted.has(clientOrderId);
  }

  /** The same for a stray under the id of an order of ours; `history` adopts it here. */
  adoptIfInHistory(clientOrderId: string): boolean {
    if (this.#adoptsHistory && !this.isAdopted(clientOrderId)) this.#adoptOne(clientOrderId);
    return this.isAdopted(clientOrderId);
  }

  /** A person adopts a client order id, or `history` until that was read once. */
  adopt(what: string): void {
    if (what === WHOLE_HISTORY) this.#adoptsHistory = true;
    else {
      this.#adopted.add(what);
      this.#unadopted.delete(what);
    }
  }

  /** Halts for strays that previous runs detected and no person has adopted. */
  start(): void {
    const unadopted = [...this.#unadopted];
    if (unadopted.length === 0) return;
    if (this.#adoptsHistory) for (const id of unadopted) this.#adoptOne(id);
    else this.#parts.halt(this.#text(unadopted));
  }

  onStrayOrders(strays: readonly StrayOrder[]): void {
    const fresh = strays.filter(({ clientOrderId: id }) => !this.#adopted.has(id));
    if (this.#adoptsHistory) for (const { clientOrderId } of fresh) this.#adoptOne(clientOrderId);
    const unknown = fresh.filter(({ clientOrderId: id }) => !this.#isKnown(id));
    if (unknown.length === 0) return;
    for (const stray of unknown) {
      this.#unadopted.add(stray.clientOrderId);
      this.#parts.journal.stray(stray.clientOrderId, stray.orderId);
    }
    this.#parts.halt(this.#text(unknown.map(({ clientOrderId }) => clientOrderId)));
  }

  /** All of history was read: later strays are new ones. */
  onHistoryRead(): void {
    this.#adoptsHistory = false;
  }

  #isKnown(id: string): boolean {
    return this.#adopted.has(id) || this.#unadopted.has(id);
  }

  #adoptOne(id: string): void {
    this.adopt(id);
    this.#parts.journal.command(`${WHOLE_HISTORY}-${id}`, { kind: 'adopt', what: id });
  }

  #text(ids: readonly string[]): string {
    const named = ids.slice(0, MAX_NAMED);
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
