import type { HttpReply, SandboxRequest } from '../../sandbox/http-message.js';
import type { Sandbox } from '../../sandbox/sandbox.js';

/** What becomes of the next place: on its way there, or its answer on the way back. */
export type Trouble = 'request is late' | 'request is lost' | 'answer is lost';

const PLACE = '/fapi/v2/futures/order';
const NEVER = new Promise<never>(() => undefined);

/**
 * What lies between a bot and the exchange. It can keep a place, or the answer to it, for as long as
 * somebody wants: a wire does not know who died at its ends.
 */
export class Wire {
  readonly sandbox: Sandbox;
  #trouble: Trouble | undefined;
  #hasMet = false;
  #release: (() => void) | undefined;
  readonly #answers: string[] = [];

  constructor(sandbox: Sandbox) {
    this.sandbox = { ...sandbox, handle: (request) => this.#carry(sandbox, request) };
  }

  /** The next place meets it. */
  expect(trouble: Trouble): void {
    this.#trouble = trouble;
    this.#hasMet = false;
  }

  /** A place has met the last trouble. */
  get hasMet(): boolean {
    return this.#hasMet;
  }

  /** The exchange's answers to places, in its order: status and text. */
  get answers(): readonly string[] {
    return this.#answers;
  }

  /** What is late goes on now. */
  release(): void {
    this.#release?.();
  }

  async #carry(sandbox: Sandbox, request: SandboxRequest): Promise<HttpReply | 'reset'> {
    if (request.method !== 'POST' || request.path !== PLACE) return sandbox.handle(request);
    const trouble = this.#trouble;
    this.#trouble = undefined;
    if (trouble === 'request is lost') return this.#meet(NEVER);
    if (trouble === 'request is late') {
      await this.#meet(new Promise<void>((resolve) => (this.#release = resolve)));
    }
    const reply = await sandbox.handle(request);
    this.#answers.push(answerText(reply));
    return trouble === 'answer is lost' ? this.#meet(NEVER) : reply;
  }

  #meet<T>(then: Promise<T>): Promise<T> {
    this.#hasMet = true;
    return then;
  }
}

function answerText(reply: HttpReply | 'reset'): string {
  if (reply === 'reset') return 'none';
  const text = /"text":"([^"]*)"/.exec(String(reply.body))?.[1];
  return text === undefined ? String(reply.status) : `${reply.status} ${text}`;
}
