import { alertKey, type AlertCondition } from './alert-conditions.js';
import { alertKind, type AlertKind, type AlertLevel } from './alert-kind.js';
import type { NoticeItem, NoticeState } from './notice.js';

/** Real ms without its condition before an alert is resolved: a flap of a few seconds is no end. */
export const CLEAR_AFTER_MS = 10_000;
/** Real ms after a resolve in which the same alert counts as the same one again. */
export const CALM_MS = 900_000;
/** An alert that comes back is not raised again sooner than this after its last notice. */
export const RERAISE_MS = 300_000;
/** Pauses between the repetitions of a page double between these, real ms. */
export const REPEAT_MS = { first: 300_000, longest: 3_600_000 } as const;

/** The two clocks of a step. */
export interface AlertTime {
  /** ms UTC. */
  readonly utcMs: number;
  /** ms of this process. */
  readonly monotonic: number;
}

interface Incident {
  readonly condition: AlertCondition;
  readonly sinceMs: number;
  state: 'pending' | 'raised' | 'ended';
  text: string;
  count: number;
  /** Monotonic ms from which the condition holds without a gap. */
  holdsSince: number;
  /** Monotonic ms from which it does not hold; undefined: it holds. */
  absentSince: number | undefined;
  /** Monotonic ms before which it is not raised again. */
  quietUntil: number;
  repeatAt: number;
  repeatMs: number;
  isAcknowledged: boolean;
}

export interface AlertTransition {
  readonly level: AlertLevel;
  readonly item: NoticeItem;
}

/**
 * Compares the alerts that hold with those that held: raises, repeats (pages only, at doubling pauses until a
 * person acknowledges) and resolves.
 */
export class IncidentTracker {
  readonly #incidents = new Map<string, Incident>();

  step(conditions: readonly AlertCondition[], now: AlertTime): readonly AlertTransition[] {
    const events: AlertTransition[] = [];
    const holding = new Set<string>();
    for (const condition of conditions) {
      const key = alertKey(condition);
      if (holding.has(key)) continue;
      holding.add(key);
      this.#onHolds(key, condition, now, events);
    }
    for (const [key, incident] of this.#incidents)
      if (!holding.has(key)) this.#onAbsent(key, incident, now, events);
    return events;
  }

  /** Raised alerts, the oldest first. */
  get raised(): readonly {
    readonly key: string;
    readonly text: string;
    readonly isAcknowledged: boolean;
  }[] {
    return [...this.#incidents]
      .filter(([, { state }]) => state === 'raised')
      .map(([key, { text, isAcknowledged }]) => ({ key, text, isAcknowledged }));
  }

  /** Stops the repetition of every raised alert until it ends. @returns the keys that this changed */
  acknowledge(): readonly string[] {
    const changed: string[] = [];
    for (const [key, incident] of this.#incidents) {
      if (incident.state !== 'raised' || incident.isAcknowledged) continue;
      incident.isAcknowledged = true;
      changed.push(key);
    }
    return changed;
  }

  #onHolds(
    key: string,
    condition: AlertCondition,
    now: AlertTime,
    events: AlertTransition[],
  ): void {
    const { monotonic } = now;
    const incident = this.#incidents.get(key) ?? this.#begin(key, condition, now);
    incident.text = condition.text;
    incident.absentSince = undefined;
    if (incident.state === 'ended') {
      incident.state = 'pending';
      incident.holdsSince = monotonic;
    }
    const { level, afterMs } = alertKind(condition.kind);
    if (incident.state === 'pending') {
      const isDue = monotonic - incident.holdsSince >= afterMs && monotonic >= incident.quietUntil;
      if (isDue) events.push(this.#raise(key, incident, monotonic));
    } else if (level === 'page' && !incident.isAcknowledged && monotonic >= incident.repeatAt) {
      this.#repeat(incident.condition.kind, monotonic, events);
    }
  }

  /** All pages of a kind repeat with the first of them: an outage of three symbols is one page each time. */
  #repeat(kind: AlertKind, monotonic: number, events: AlertTransition[]): void {
    const { level } = alertKind(kind);
    for (const [key, incident] of this.#incidents) {
      const { condition, state, isAcknowledged, absentSince } = incident;
      if (condition.kind !== kind || state !== 'raised') continue;
      if (isAcknowledged || absentSince !== undefined) continue;
      incident.repeatMs = Math.min(incident.repeatMs * 2, REPEAT_MS.longest);
      incident.repeatAt = monotonic + incident.repeatMs;
      events.push({ level, item: itemOf(key, incident, 'repeated') });
    }
  }

  #begin(key: string, condition: AlertCondition, { utcMs, monotonic }: AlertTime): Incident {
    const incident: Incident = {
      condition,
      sinceMs: utcMs,
      state: 'pending',
      text: condition.text,
      count: 0,
      holdsSince: monotonic,
      absentSince: undefined,
      quietUntil: Number.NEGATIVE_INFINITY,
      repeatAt: 0,
      repeatMs: REPEAT_MS.first,
      isAcknowledged: false,
    };
    this.#incidents.set(key, incident);
    return incident;
  }

  #raise(key: string, incident: Incident, monotonic: number): AlertTransition {
    incident.state = 'raised';
    incident.count += 1;
    incident.isAcknowledged = false;
    incident.repeatMs = REPEAT_MS.first;
    incident.repeatAt = monotonic + REPEAT_MS.first;
    incident.quietUntil = monotonic + RERAISE_MS;
    return {
      level: alertKind(incident.condition.kind).level,
      item: itemOf(key, incident, 'raised'),
    };
  }

  #onAbsent(key: string, incident: Incident, now: AlertTime, events: AlertTransition[]): void {
    const { monotonic } = now;
    incident.absentSince ??= monotonic;
    const absentMs = monotonic - incident.absentSince;
    if (incident.state === 'pending') {
      if (incident.count === 0) this.#incidents.delete(key);
      else incident.state = 'ended';
    } else if (incident.state === 'raised') {
      if (absentMs < CLEAR_AFTER_MS) return;
      incident.state = 'ended';
      const { level } = alertKind(incident.condition.kind);
      events.push({ level, item: itemOf(key, incident, 'resolved') });
    } else if (absentMs > CALM_MS) this.#incidents.delete(key);
  }
}

const itemOf = (key: string, incident: Incident, state: NoticeState): NoticeItem => ({
  key,
  kind: incident.condition.kind,
  state,
  title: alertKind(incident.condition.kind).title,
  text: incident.text,
  count: incident.count,
  sinceMs: incident.sinceMs,
});
