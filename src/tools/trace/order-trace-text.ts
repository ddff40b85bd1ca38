import type {
  AttemptTrace,
  EventTrace,
  FillTrace,
  MarginTrace,
  OperationTrace,
  OrderTrace,
  RefusalTrace,
  TermsTrace,
  VerdictTrace,
} from './trace.js';
import { spacedTime, treeText, type Branch, type Paint } from './trace-text.js';

/** The causal chain of an order as a tree: the event first, the end last. */
export function orderText(trace: OrderTrace, paint: Paint): string {
  const { terms, evidence, related } = trace;
  const head = [
    paint.strong(`order ${trace.client_order_id}`),
    terms === undefined ? '' : traceTermsText(terms),
    statePaint(trace.state, paint)(trace.state),
    trace.order_id === undefined ? '' : paint.dim(`venue id ${trace.order_id}`),
  ];
  return treeText({
    text: head.filter((part) => part !== '').join('  '),
    below: [
      ...(trace.event === undefined ? [] : [eventBranch(trace, paint)]),
      ...decisionBranch(trace, paint),
      ...(trace.verdict === undefined ? [] : [verdictBranch(trace.verdict, paint)]),
      ...intentBranch(trace, paint),
      ...trace.attempts.map((attempt) => attemptBranch(attempt, paint)),
      ...evidence.map(({ time, level, text }) => ({
        text: `${paint.name('evidence')}  ${timeLabel(time, paint)}  ${level === 'info' ? text : paint.uncertain(text)}`,
      })),
      ...trace.fills.map((fill) => fillBranch(fill, paint)),
      endBranch(trace, paint),
      ...related.map((each) => ({
        text: `${paint.name('see also')}  ${each.client_order_id}  ${paint.dim(each.as)}`,
      })),
    ],
  });
}

/** A decision that the risk gate refused. */
export function refusalText(trace: RefusalTrace, paint: Paint): string {
  const { decision, event, verdict, explanation, sizing } = trace;
  const reasons = [
    ...(explanation === undefined ? [] : [`“${explanation}”`]),
    ...(sizing === undefined ? [] : [sizing]),
  ];
  return treeText({
    text: `${paint.strong(`decision ${decision.key}`)}  leg ${decision.leg}  ${paint.bad('refused')}`,
    below: [
      ...(event === undefined ? [] : [{ text: `${paint.name('event')}     ${eventText(event)}` }]),
      {
        text: `${paint.name('decision')}  ${decision.strategy}`,
        below: reasons.map((text) => ({ text })),
      },
      verdictBranch(verdict, paint),
      { text: `${paint.name('end')}       no order was created` },
    ],
  });
}

/** An operation: an amendment, a stop, margin, leverage or a transfer. */
export function operationText(trace: OperationTrace, paint: Paint): string {
  const { operation_id: id, what, plan, event, attempts, end, state } = trace;
  const reason = end?.reason === undefined ? '' : `: ${end.reason}`;
  return treeText({
    text: `${paint.strong(`operation ${id}`)}  ${what}  ${paint.uncertain(state)}`,
    below: [
      ...(event === undefined ? [] : [{ text: `${paint.name('event')}     ${eventText(event)}` }]),
      {
        text: `${paint.name('plan')}      ${timeLabel(trace.time, paint)}  ${JSON.stringify(plan)}`,
      },
      ...attempts.map((attempt) => {
        const branch = attemptBranch(attempt, paint);
        const step = { text: paint.dim(JSON.stringify(attempt.step)) };
        return { ...branch, below: [step, ...(branch.below ?? [])] };
      }),
      {
        text: `${paint.name('end')}       ${end === undefined ? `none yet: ${state}` : `${timeLabel(end.time, paint)}  ${end.state}${reason}`}`,
      },
    ],
  });
}

export function traceResultText(
  trace: OrderTrace | RefusalTrace | OperationTrace,
  paint: Paint,
): string {
  if (trace.kind === 'order') return orderText(trace, paint);
  return trace.kind === 'refusal' ? refusalText(trace, paint) : operationText(trace, paint);
}

const eventBranch = ({ event }: OrderTrace, paint: Paint): Branch => {
  const chain: Branch[] = [];
  for (let at = event; at !== undefined; at = at.kind === 'fill' ? at.caused_by : undefined) {
    chain.push({ text: eventText(at) });
  }
  const [first, ...causes] = chain;
  return {
    text: `${paint.name('event')}     ${first?.text ?? ''}`,
    below: causes.map(({ text }) => ({ text: `${paint.dim('caused by')} ${text}` })),
  };
};

function decisionBranch({ decision, terms }: OrderTrace, paint: Paint): readonly Branch[] {
  if (decision === undefined) return [];
  const decisionText = terms === undefined ? '' : ` decided ${traceTermsText(terms)}`;
  const { explanation, sizing } = decision;
  return [
    {
      text: `${paint.name('decision')}  ${timeLabel(decision.time, paint)}  ${decision.strategy}${decisionText}, priced at ${decision.reference_price}`,
      below: [
        ...(explanation === undefined ? [] : [{ text: `“${explanation}”` }]),
        ...(sizing === undefined ? [] : [{ text: sizing }]),
        {
          text: paint.dim(
            `key ${decision.key}, leg ${decision.leg}, ${validText(decision.valid_until)}`,
          ),
        },
      ],
    },
  ];
}

function verdictBranch(verdict: VerdictTrace, paint: Paint): Branch {
  const { approved, control, text, time, margins } = verdict;
  const summary = approved ? paint.good(text) : paint.bad(`refused by ${control ?? '?'}: ${text}`);
  const width = Math.max(0, ...margins.map((margin) => nameOf(margin).length));
  return {
    text: `${paint.name('verdict')}   ${timeLabel(time, paint)}  ${summary}`,
    below: margins.map((margin) => ({ text: marginText(margin, width, paint) })),
  };
}

const nameOf = ({ control, key, part }: MarginTrace): string =>
  `${control} ${key}${part === undefined ? '' : ` ${part}`}`;

function marginText(margin: MarginTrace, width: number, paint: Paint): string {
  const { value, limit, unit, least, distance, left_pct: left } = margin;
  const bound = `${least === true ? '≥' : '≤'} ${limit} ${unit}`;
  const distanceText = `${distance} ${unit} away, ${left} % left`;
  const isExceeded = distance.startsWith('-') || distance === 'NaN';
  const shown = isExceeded
    ? paint.bad(`exceeded by ${distance.replace('-', '')} ${unit}`)
    : paint.dim(distanceText);
  return `${nameOf(margin).padEnd(width)}  ${value} ${bound}  ${shown}`;
}

function intentBranch({ intent }: OrderTrace, paint: Paint): readonly Branch[] {
  if (intent === undefined) return [];
  const { time, reserved_usdt: reserved, generation, payload_sha256: hash } = intent;
  const id = generation <= 1 ? '' : `, id number ${generation}`;
  return [
    {
      text: `${paint.name('intent')}    ${timeLabel(time, paint)}  journaled before anything was sent, ${reserved} USDT reserved${id}`,
      below: [{ text: paint.dim(`payload sha256 ${hash}`) }],
    },
  ];
}

function attemptBranch(attempt: AttemptTrace, paint: Paint): Branch {
  const { outcome, text, answered, took_ms: took } = attempt;
  const colour = outcome === 'yes' ? paint.good : outcome === 'no' ? paint.bad : paint.uncertain;
  const label = outcome === undefined ? 'no answer' : outcome.toUpperCase();
  const when = answered === undefined ? '' : `${timeLabel(answered, paint)}  `;
  const after = took === undefined ? '' : ` ${paint.dim(`after ${took} ms`)}`;
  return {
    text: `${paint.name(`attempt ${attempt.attempt}`)} ${timeLabel(attempt.time, paint)}`,
    below: [{ text: `${when}${colour(label)}  ${text}${after}` }],
  };
}

const fillBranch = (fill: FillTrace, paint: Paint): Branch => ({
  text:
    `${paint.name('fill')}      ${timeLabel(fill.time, paint)}  ${paint.good(`${fill.quantity} at ${fill.price}`)}` +
    `  ${paint.dim(`${fill.filled} filled so far at ${fill.average_price} on average`)}`,
});

function endBranch(trace: OrderTrace, paint: Paint): Branch {
  const { end, state } = trace;
  if (end === undefined) {
    return { text: `${paint.name('end')}       none yet: ${paint.uncertain(state)}` };
  }
  const reason = end.reason === undefined ? '' : `: ${end.reason}`;
  return {
    text: `${paint.name('end')}       ${timeLabel(end.time, paint)}  ${statePaint(end.state, paint)(end.state)}${reason}`,
  };
}

const statePaint = (state: string, paint: Paint) => {
  if (state === 'filled') return paint.good;
  return ['rejected', 'dropped', 'burned'].includes(state) ? paint.bad : paint.uncertain;
};

const timeLabel = (time: string, paint: Paint): string => paint.dim(spacedTime(time));

export function traceTermsText(terms: TermsTrace): string {
  const { side, quantity, symbol, type, price, stop_loss: stop, take_profit: target } = terms;
  return [
    `${side} ${quantity} ${symbol} ${type}`,
    price === undefined ? '' : `at ${price}`,
    terms.reduce_only ? 'reduce-only' : '',
    stop === undefined ? '' : `stop ${stop}`,
    target === undefined ? '' : `target ${target}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** An event as one line. */
function eventText(event: EventTrace): string {
  switch (event.kind) {
    case 'candle':
    case 'second':
    case 'mark-candle': {
      const { values, symbol, open_time: open, session } = event;
      const [, , interval = ''] = event.key.split(':');
      const length = event.kind === 'candle' ? ` ${interval}` : '';
      const sessionSuffix = session === undefined ? '' : `, record ${session}`;
      const what = `${event.kind} ${symbol}${length} ${spacedTime(open)}`;
      if (values === undefined)
        return `${what} (its values are not in the record${recordedSinceText(event)}${sessionSuffix})`;
      const { open: o, high, low, close, volume } = values;
      const history = values.live ? '' : ', history';
      return `${what}  open ${o} high ${high} low ${low} close ${close} volume ${volume}${history}${sessionSuffix}`;
    }
    case 'fill':
      return `fill of ${event.order ?? event.of}`;
    case 'round':
      return `all ${event.interval} candles that closed at ${spacedTime(event.close_time)}`;
    case 'timer':
      return `timer ${event.timer} at ${spacedTime(event.time)}`;
    case 'operator': {
      const { command_id: id, time, command } = event;
      const when = time === undefined ? '' : ` at ${spacedTime(time)}`;
      return `operator's command ${id}${when}${command === undefined ? '' : ` ${JSON.stringify(command)}`}`;
    }
  }
}

/** The beginning of the record, when older sessions were deleted. */
const recordedSinceText = ({
  recorded_since: time,
}: {
  readonly recorded_since?: string;
}): string =>
  time === undefined ? '' : `, which begins at ${spacedTime(time)}: older sessions were deleted`;

const validText = (until: string | null): string =>
  until === null ? 'valid without an end' : `valid until ${until}`;
