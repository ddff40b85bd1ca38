import type { HttpReply, SandboxRequest } from '../../sandbox/http/http-message.js';
import type { Sandbox } from '../../sandbox/sandbox.js';

/** A fault for the next place request, or for the response to it. */
export type InjectedFault = 'request is late' | 'request is lost' | 'answer is lost';

const PLACE_ORDER_PATH = '/fapi/v2/futures/order';
const NEVER = new Promise<never>(() => undefined);

/**
 * A proxy between a bot and the exchange. It can delay or drop a place request or its response, even
 * beyond the end of the bot's process.
 */
export class ChaosProxy {
  readonly sandbox: Sandbox;
  #fault: InjectedFault | undefined;
  #wasTriggered = false;
  #release: (() => void) | undefined;
  readonly #replies: string[] = [];

  constructor(sandbox: Sandbox) {
    this.sandbox = { ...sandbox, handle: (request) => this.#handle(sandbox, request) };
  }

  /** Applies the fault to the next place request. */
  arm(fault: InjectedFault): void {
    this.#fault = fault;
    this.#wasTriggered = false;
  }

  /** Whether a place request has triggered the last fault. */
  get wasTriggered(): boolean {
    return this.#wasTriggered;
  }

  /** Status and text of the exchange's responses to place requests, in order. */
  get replies(): readonly string[] {
    return this.#replies;
  }

  /** Forwards the delayed request now. */
  release(): void {
    this.#release?.();
  }

  async #handle(sandbox: Sandbox, request: SandboxRequest): Promise<HttpReply | 'reset'> {
    if (request.method !== 'POST' || request.path !== PLACE_ORDER_PATH)
      return sandbox.handle(request);
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault === 'request is lost') return this.#trigger(NEVER);
    if (fault === 'request is late') {
      await this.#trigger(new Promise<void>((resolve) => (this.#release = resolve)));
    }
    const reply = await sandbox.handle(request);
    this.#replies.push(replyText(reply));
    return fault === 'answer is lost' ? this.#trigger(NEVER) : reply;
  }

  #trigger<T>(then: Promise<T>): Promise<T> {
    this.#wasTriggered = true;
    return then;
  }
}

function replyText(reply: HttpReply | 'reset'): string {
  if (reply === 'reset') return 'none';
  const text = /"text":"([^"]*)"/.exec(String(reply.body))?.[1];
  return text === undefined ? String(reply.status) : `${reply.status} ${text}`;
}
