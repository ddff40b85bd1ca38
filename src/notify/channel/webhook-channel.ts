import { TransportError, type Clock, type HttpResponse, type Net } from '../../core/ports.js';
import type { AlertLevel } from '../alert/alert-kind.js';
import { noticeText, type Notice } from '../alert/notice.js';
import { DeliveryError, type NotifyChannel } from './channel.js';
import { webhookHeaders } from './webhook-signature.js';

/** Real ms from connect to the last byte of the answer. */
export const WEBHOOK_TIMEOUT_MS = 5_000;

export interface WebhookSettings {
  readonly url: string;
  readonly secret: string;
  readonly levels: ReadonlySet<AlertLevel>;
}

export interface WebhookParts {
  readonly net: Pick<Net, 'request'>;
  readonly clock: Pick<Clock, 'utcMs'>;
}

/** Posts notices as signed JSON. No redirect is followed: it could lead elsewhere. */
export class WebhookChannel implements NotifyChannel {
  readonly name = 'webhook';
  readonly levels: ReadonlySet<AlertLevel>;
  readonly #settings: WebhookSettings;
  readonly #parts: WebhookParts;

  constructor(settings: WebhookSettings, parts: WebhookParts) {
    this.levels = settings.levels;
    this.#settings = settings;
    this.#parts = parts;
  }

  async deliver(notice: Notice): Promise<void> {
    const { url, secret } = this.#settings;
    const body = JSON.stringify(noticeJson(notice));
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'sluice',
      ...webhookHeaders(notice.id, this.#parts.clock.utcMs(), body, secret),
    };
    const response = await this.#post(url, headers, body);
    const { status } = response;
    if (status >= 200 && status < 300) return;
    throw new DeliveryError(answerText(response), {
      isPermanent: isPermanent(status),
      retryAfterMs: retryAfterOf(response),
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<HttpResponse> {
    try {
      const { net } = this.#parts;
      return await net.request({
        method: 'POST',
        url,
        headers,
        body,
        timeoutMs: WEBHOOK_TIMEOUT_MS,
      });
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      throw new DeliveryError(error.message, { cause: error });
    }
  }
}

/** The body of a webhook and the input of a command. */
export const noticeJson = (notice: Notice) => ({
  v: 1,
  id: notice.id,
  level: notice.level,
  at: new Date(notice.atMs).toISOString(),
  account: notice.account,
  mode: notice.mode,
  text: noticeText(notice),
  items: notice.items.map(({ key, kind, state, title, text, count, sinceMs }) => ({
    key,
    kind,
    state,
    title,
    text,
    count,
    since: new Date(sinceMs).toISOString(),
  })),
  omitted: notice.omitted,
});

function answerText({ status, headers }: HttpResponse): string {
  if (status >= 300 && status < 400) {
    const to = headers['location'] ?? 'elsewhere';
    return `it answers ${status} (redirect to ${to}), and no redirect is followed: put the final address into notify.webhook.url`;
  }
  if (status === 401 || status === 403)
    return `it answers ${status}: compare the secret of notify.webhook.secret_file with the receiver's`;
  return `it answers ${status}`;
}

/** Too many requests and a time-out pass; other refusals of the request do not. */
const isPermanent = (status: number): boolean =>
  status >= 300 && status < 500 && status !== 408 && status !== 425 && status !== 429;

function retryAfterOf({ status, headers }: HttpResponse): number | undefined {
  const seconds = headers['retry-after'];
  return (status === 429 || status === 503) && seconds !== undefined && /^\d{1,6}$/.test(seconds)
    ? Number(seconds) * 1_000
    : undefined;
}
