import { FRAME_HEADER_BYTES } from '../../../src/io/log/log-frame.js';

/** A journal record as its bytes say it: decimals as text. */
export interface JournalLine {
  readonly type: string;
  readonly venueTime: number;
  readonly clientOrderId?: string;
  readonly [field: string]: unknown;
}

const decoder = new TextDecoder();

/**
 * What the journal holds durably, learnt from the bytes as they go to the disk: no trust in anybody
 * who writes them. A start writes those again that nobody had promised, and a compaction those that
 * still matter: what was seen before is no news.
 */
export class JournalTap {
  readonly #lines: JournalLine[] = [];
  readonly #known = new Set<string>();
  #pending: string[] = [];

  /** Durable records, oldest first. */
  get lines(): readonly JournalLine[] {
    return this.#lines;
  }

  /** Frames that were handed to the disk. */
  append(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + FRAME_HEADER_BYTES <= bytes.length;) {
      const from = at + FRAME_HEADER_BYTES;
      const end = from + view.getUint32(at, true);
      this.#pending.push(decoder.decode(bytes.subarray(from, end)));
      at = end;
    }
  }

  /** @returns the records that became durable */
  synced(): readonly JournalLine[] {
    const newLines = this.#pending
      .filter((text) => text.startsWith('{') && !this.#known.has(text))
      .map((text) => {
        this.#known.add(text);
        return JSON.parse(text) as JournalLine;
      });
    this.#pending = [];
    this.#lines.push(...newLines);
    return newLines;
  }

  /** The process died: what was not synced may be gone, and comes again if it is not. */
  lost(): void {
    this.#pending = [];
  }
}
