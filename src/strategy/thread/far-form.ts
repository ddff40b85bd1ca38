import { assert } from '../../core/assert.js';
import { CandleColumns } from '../../market/candle-columns.js';
import { isStreamForm, type StrategyDefinition } from '../definition.js';
import { failureText } from '../host/failure-place.js';
import type { StrategyForm } from '../form/form.js';
import { makeForm } from '../form/make-form.js';
import { OrderDesk } from '../order-desk.js';
import { StateCell } from '../host/state-cell.js';
import { Trader } from '../trader.js';
import { ActList } from './act-list.js';
import type { Answer, Ask, Call, FormFacts, Making, PlainCall, StateOffer, Stray } from './call.js';
import { ToldWorld } from './told-world.js';

interface Made {
  readonly form: StrategyForm;
  readonly world: ToldWorld;
  readonly acts: ActList;
}

/** A strategy on a thread of its own: answers the calls that its host makes from another one. */
export class FarForm {
  readonly #definition: StrategyDefinition;
  readonly #params: unknown;
  readonly #strayed: (stray: Stray) => void;
  readonly #columns = new Map<string, CandleColumns>();
  #made: Made | undefined;

  constructor(definition: StrategyDefinition, params: unknown, strayed: (stray: Stray) => void) {
    this.#definition = definition;
    this.#params = params;
    this.#strayed = strayed;
  }

  answer(ask: Ask): Answer {
    if (ask.call.method === 'make') return this.#make(ask.call, ask);
    const made = this.#made;
    assert(made !== undefined, 'A strategy is made before it is called');
    for (const cell of cellsOf(made.form)) if (ask.undone.includes(cell.key)) cell.untake();
    made.world.learn(ask.news);
    made.acts.begin();
    let threw: string | undefined;
    try {
      this.#run(made.form, ask.call);
    } catch (error) {
      threw = failureText(error);
    }
    const cells = cellsOf(made.form, ask.symbol);
    if (threw !== undefined) for (const cell of cells) cell.undo();
    return {
      acts: made.acts.end(),
      offers: threw === undefined ? cells.flatMap(offerOf) : [],
      ...(threw !== undefined && { threw }),
    };
  }

  /** An answer could not be sent: what it offered does not count. */
  withdraw({ offers }: Answer): void {
    if (this.#made === undefined) return;
    for (const cell of cellsOf(this.#made.form))
      if (offers.some((offer) => offer.key === cell.key)) cell.untake();
  }

  #make(making: Making, { news }: Ask): Answer {
    const { id, symbols, interval } = making;
    const acts: ActList = new ActList({
      symbols,
      quantityOf: (symbol, size, known) => trader.quantityOf(symbol, size, known),
      strayed: this.#strayed,
    });
    const world = new ToldWorld(making, acts.wake);
    world.learn(news);
    const trader = sizingTrader(making, world);
    acts.begin();
    try {
      const settings = { id, symbols, interval, world };
      const code = { definition: this.#definition, params: this.#params };
      const form = makeForm({ ...settings, ...code }, acts, acts);
      this.#made = { form, world, acts };
      return { acts: acts.end(), offers: [], made: this.#factsOf(form) };
    } catch (error) {
      const threw = error instanceof Error ? error.message : String(error);
      return { acts: acts.end(), offers: [], threw };
    }
  }

  #factsOf(form: StrategyForm): FormFacts {
    const { intervals, needs, hearsFills, hearsOrders, hearsRounds } = form;
    const { hearsMarket, hearsPositions } = form;
    return {
      ...{ intervals, needs, hearsFills, hearsOrders, hearsRounds, hearsMarket, hearsPositions },
      tellsCloses: !isStreamForm(this.#definition),
      cells: cellsOf(form).map(({ key, fault }) => ({ key, fault })),
    };
  }

  #run(form: StrategyForm, call: Call): void {
    if (call.method !== 'candle') {
      run(form, call);
      return;
    }
    const { symbol, interval, rows, index } = call;
    const name = `${interval} ${symbol}`;
    let columns = this.#columns.get(name);
    if (columns === undefined) this.#columns.set(name, (columns = new CandleColumns()));
    for (let at = 0; at < rows.length; at += ROW)
      columns.append(...(rows.slice(at, at + ROW) as Row));
    assert(columns.length === index + 1, 'Every row of a series is sent once');
    form.candle(symbol, interval, columns, index);
  }
}

type Row = Parameters<CandleColumns['append']>;
/** Numbers of a candle. */
const ROW = 6;

/** The type of each method's arguments is lost where the method is not known: it is the call's own. */
function run(form: StrategyForm, { method, args }: PlainCall): void {
  (form[method] as (...given: unknown[]) => void).apply(form, [...args]);
}

/** A thread makes its forms itself: their cells are whole. */
const cellsOf = (form: StrategyForm, symbol?: string): readonly StateCell[] =>
  form.cells(symbol).map((cell) => {
    assert(cell instanceof StateCell, 'The cells of a form that is here are here');
    return cell;
  });

function offerOf(cell: StateCell): readonly StateOffer[] {
  try {
    const write = cell.take();
    return write === undefined ? [] : [{ key: cell.key, write }];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{ key: cell.key, fault: error.message }];
  }
}

/** For sizes from code alone: nothing is given to it. */
function sizingTrader(making: Making, world: ToldWorld): Trader {
  const { id, symbols, interval, size, protection, entry, costs } = making;
  return new Trader({
    desk: new OrderDesk(world, { strategyId: id, interval, protection, entry }),
    ...{ size, symbols, interval, costs },
    equity: () => world.equityUsdt,
    volatility: () => undefined,
  });
}
