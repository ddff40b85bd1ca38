import { eventText } from './event-text.js';
import type { Paint } from './paint.js';
import type {
  AttemptStory,
  FillStory,
  MarginStory,
  OperationStory,
  OrderStory,
  RefusalStory,
  TermsStory,
  VerdictStory,
} from './story.js';
import { treeText, type Branch } from './tree.js';

/** The causal chain of an order as a tree: cause first, end last. */
export function orderText(story: OrderStory, paint: Paint): string {
  const { terms, evidence, related } = story;
  const head = [
    paint.strong(`order ${story.client_order_id}`),
    terms === undefined ? '' : termsText(terms),
    statePaint(story.state, paint)(story.state),
    story.order_id === undefined ? '' : paint.dim(`venue id ${story.order_id}`),
  ];
  return treeText({
    text: head.filter((part) => part !== '').join('  '),
    below: [
      ...(story.event === undefined ? [] : [eventBranch(story, paint)]),
      ...decisionBranch(story, paint),
      ...(story.verdict === undefined ? [] : [verdictBranch(story.verdict, paint)]),
      ...intentBranch(story, paint),
      ...story.attempts.map((attempt) => attemptBranch(attempt, paint)),
      ...evidence.map(({ time, level, text }) => ({
        text: `${paint.name('evidence')}  ${clock(time, paint)}  ${level === 'info' ? text : paint.doubtful(text)}`,
      })),
      ...story.fills.map((fill) => fillBranch(fill, paint)),
      endBranch(story, paint),
      ...related.map((each) => ({
        text: `${paint.name('see also')}  ${each.client_order_id}  ${paint.dim(each.as)}`,
      })),
    ],
  });
}

/** A decision that no order followed. */
export function refusalText(story: RefusalStory, paint: Paint): string {
  const { decision, event, verdict, explanation, sizing } = story;
  const said = [
    ...(explanation === undefined ? [] : [`“${explanation}”`]),
    ...(sizing === undefined ? [] : [sizing]),
  ];
  return treeText({
    text: `${paint.strong(`decision ${decision.key}`)}  leg ${decision.leg}  ${paint.bad('refused')}`,
    below: [
      ...(event === undefined ? [] : [{ text: `${paint.name('event')}     ${eventText(event)}` }]),
      {
        text: `${paint.name('decision')}  ${decision.strategy}`,
        below: said.map((text) => ({ text })),
      },
      verdictBranch(verdict, paint),
      { text: `${paint.name('end')}       no order was made` },
    ],
  });
}

/** An amendment, a stop, margin, leverage, a transfer. */
export function operationText(story: OperationStory, paint: Paint): string {
  const { operation_id: id, what, plan, event, attempts, end, state } = story;
  const reason = end?.reason === undefined ? '' : `: ${end.reason}`;
  return treeText({
    text: `${paint.strong(`operation ${id}`)}  ${what}  ${paint.doubtful(state)}`,
    below: [
      ...(event === undefined ? [] : [{ text: `${paint.name('event')}     ${eventText(event)}` }]),
      { text: `${paint.name('plan')}      ${clock(story.time, paint)}  ${JSON.stringify(plan)}` },
      ...attempts.map((attempt) => {
        const branch = attemptBranch(attempt, paint);
        const step = { text: paint.dim(JSON.stringify(attempt.step)) };
        return { ...branch, below: [step, ...(branch.below ?? [])] };
      }),
      {
        text: `${paint.name('end')}       ${end === undefined ? `none yet: ${state}` : `${clock(end.time, paint)}  ${end.state}${reason}`}`,
      },
    ],
  });
}

/** Whatever was found. */
export function foundText(story: OrderStory | RefusalStory | OperationStory, paint: Paint): string {
  if (story.kind === 'order') return orderText(story, paint);
  return story.kind === 'refusal' ? refusalText(story, paint) : operationText(story, paint);
}

const eventBranch = ({ event }: OrderStory, paint: Paint): Branch => {
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

function decisionBranch({ decision, terms }: OrderStory, paint: Paint): readonly Branch[] {
  if (decision === undefined) return [];
  const wanted = terms === undefined ? '' : ` wanted ${termsText(terms)}`;
  const { explanation, sizing } = decision;
  return [
    {
      text: `${paint.name('decision')}  ${clock(decision.time, paint)}  ${decision.strategy}${wanted}, priced at ${decision.reference_price}`,
      below: [
        ...(explanation === undefined ? [] : [{ text: `“${explanation}”` }]),
        ...(sizing === undefined ? [] : [{ text: sizing }]),
        {
          text: paint.dim(
            `key ${decision.key}, leg ${decision.leg}, valid until ${decision.valid_until}`,
          ),
        },
      ],
    },
  ];
}

function verdictBranch(verdict: VerdictStory, paint: Paint): Branch {
  const { approved, control, text, time, margins } = verdict;
  const said = approved ? paint.good(text) : paint.bad(`refused by ${control ?? '?'}: ${text}`);
  const width = Math.max(0, ...margins.map((margin) => nameOf(margin).length));
  return {
    text: `${paint.name('verdict')}   ${clock(time, paint)}  ${said}`,
    below: margins.map((margin) => ({ text: marginText(margin, width, paint) })),
  };
}

const nameOf = ({ control, key, part }: MarginStory): string =>
  `${control} ${key}${part === undefined ? '' : ` ${part}`}`;

function marginText(margin: MarginStory, width: number, paint: Paint): string {
  const { value, limit, unit, least, distance, left_pct: left } = margin;
  const bound = `${least === true ? '≥' : '≤'} ${limit} ${unit}`;
  const words = `${distance} ${unit} away, ${left} % left`;
  const passed = distance.startsWith('-') || distance === 'NaN';
  const shown = passed
    ? paint.bad(`passed by ${distance.replace('-', '')} ${unit}`)
    : paint.dim(words);
  return `${nameOf(margin).padEnd(width)}  ${value} ${bound}  ${shown}`;
}

function intentBranch({ intent }: OrderStory, paint: Paint): readonly Branch[] {
  if (intent === undefined) return [];
  const { time, reserved_usdt: reserved, generation, payload_sha256: hash } = intent;
  const id = generation <= 1 ? '' : `, id number ${generation}`;
  return [
    {
      text: `${paint.name('intent')}    ${clock(time, paint)}  journaled before anything was sent, ${reserved} USDT reserved${id}`,
      below: [{ text: paint.dim(`payload sha256 ${hash}`) }],
    },
  ];
}

function attemptBranch(attempt: AttemptStory, paint: Paint): Branch {
  const { outcome, text, answered, took_ms: took } = attempt;
  const colour = outcome === 'yes' ? paint.good : outcome === 'no' ? paint.bad : paint.doubtful;
  const word = outcome === undefined ? 'no answer' : outcome.toUpperCase();
  const when = answered === undefined ? '' : `${clock(answered, paint)}  `;
  const after = took === undefined ? '' : ` ${paint.dim(`after ${took} ms`)}`;
  return {
    text: `${paint.name(`attempt ${attempt.attempt}`)} ${clock(attempt.time, paint)}`,
    below: [{ text: `${when}${colour(word)}  ${text}${after}` }],
  };
}

const fillBranch = (fill: FillStory, paint: Paint): Branch => ({
  text:
    `${paint.name('fill')}      ${clock(fill.time, paint)}  ${paint.good(`${fill.quantity} at ${fill.price}`)}` +
    `  ${paint.dim(`${fill.filled} filled so far at ${fill.average_price} on average`)}`,
});

function endBranch(story: OrderStory, paint: Paint): Branch {
  const { end, state } = story;
  if (end === undefined) {
    return { text: `${paint.name('end')}       none yet: ${paint.doubtful(state)}` };
  }
  const reason = end.reason === undefined ? '' : `: ${end.reason}`;
  return {
    text: `${paint.name('end')}       ${clock(end.time, paint)}  ${statePaint(end.state, paint)(end.state)}${reason}`,
  };
}

const statePaint = (state: string, paint: Paint) => {
  if (state === 'filled') return paint.good;
  return ['rejected', 'dropped', 'burned'].includes(state) ? paint.bad : paint.doubtful;
};

/** Of the day: the tree's head has the date in its event. */
const clock = (time: string, paint: Paint): string => paint.dim(time.replace('T', ' '));

export function termsText(terms: TermsStory): string {
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
