import { Option, type Command } from 'commander';
import type { OrderRef, Side } from '../core/order.js';
import type {
  OrderOptions,
  OrderTask,
  ProbeOptions,
  VenueOptions,
} from './account/account-options.js';
import { examples } from './cli-help.js';
import * as values from './cli-values.js';
import { withConfig, withConsent, withVenue } from './cli-venue-options.js';

type Act<Options> = (options: Options) => Promise<void>;
const WAIT_MS = 30_000;

const withWait = (command: Command): Command =>
  withConsent(command).addOption(
    new Option('--wait <time>', 'how long to wait for the proof of the outcome')
      .argParser(values.durationMs)
      .default(WAIT_MS, '30s'),
  );

/** `sluice order …` */
export function addOrder(program: Command, debug: boolean, act: Act<OrderOptions>): void {
  const order = program
    .command('order')
    .description('One order by hand: through the risk gate and the journal, like any.')
    .addHelpText(
      'after',
      examples(
        'sluice order place buy BTCUSDT --quantity 0.001 --config config/sandbox.yaml',
        'sluice order show --client-id abc --config config/sandbox.yaml --json',
      ),
    );
  addPlace(order, debug, act);
  addCancel(order, debug, act);
  addAmend(order, debug, act);
  addResolve(order, debug, act);
  addShow(order, debug, act);
}

type RawWrite = VenueOptions & { readonly yes: boolean; readonly wait: number };
type RawPlace = RawWrite & {
  readonly quantity?: string;
  readonly limit?: string;
  readonly reduceOnly: boolean;
  readonly stop?: string;
  readonly target?: string;
  readonly once?: string;
};

function addPlace(order: Command, debug: boolean, act: Act<OrderOptions>): void {
  const command = withWait(withConfig(order.command('place'), debug))
    .description('Place an order and wait until its outcome is proved.')
    .argument('<side>', 'buy or sell', values.oneOf(['buy', 'sell']))
    .argument('<symbol>', 'such as BTCUSDT', values.symbol)
    .option('--quantity <units>', 'base units, such as 0.001 (required)', values.amount)
    .option('--limit <price>', 'USDT; without it the order is a market order', values.amount)
    .option('--reduce-only', 'only take off an open position', false)
    .option('--stop <price>', 'stop loss, sent with the order', values.amount)
    .option('--target <price>', 'take profit, sent with the order', values.amount)
    .option(
      '--once <key>',
      'for scripts: this key never has two orders, however often it is said',
      values.clientOrderId,
    )
    .addHelpText(
      'after',
      examples(
        'sluice order place buy BTCUSDT --quantity 0.001 --config config/sandbox.yaml',
        'sluice order place sell BTCUSDT --quantity 0.001 --limit 70000 --reduce-only --config config/sandbox.yaml --yes --json',
      ),
    )
    .action((side: Side, symbol: string, raw: RawPlace) => {
      const { yes, wait, quantity, limit, reduceOnly, stop, target, once, ...venue } = raw;
      if (quantity === undefined)
        return command.error("error: option '--quantity <units>' is missing");
      const task: OrderTask = {
        what: 'place',
        side,
        symbol,
        quantity,
        reduceOnly,
        yes,
        waitMs: wait,
        ...(limit !== undefined && { limit }),
        ...(stop !== undefined && { stop }),
        ...(target !== undefined && { target }),
        ...(once !== undefined && { once }),
      };
      return act({ ...venue, ...task });
    });
}

interface RawRef {
  readonly clientId?: string;
}

const withRef = (command: Command): Command =>
  command
    .argument('[id]', "the venue's id of the order")
    .option('--client-id <id>', 'the client order id instead', values.clientOrderId);

/** Exactly one of the two names an order. */
function refOf(command: Command, id: string | undefined, clientId: string | undefined): OrderRef {
  if (id !== undefined && clientId === undefined) return { orderId: id };
  if (clientId !== undefined && id === undefined) return { clientOrderId: clientId };
  return command.error('error: name the order by its id, or by --client-id');
}

function addCancel(order: Command, debug: boolean, act: Act<OrderOptions>): void {
  const command = withRef(withWait(withConfig(order.command('cancel'), debug)))
    .description('Cancel an order and wait until that is proved.')
    .option('--foreign', 'it is not an order of this configuration', false)
    .addHelpText('after', examples('sluice order cancel 0190b7a3-… --config config/sandbox.yaml'))
    .action((id: string | undefined, raw: RawWrite & RawRef & { readonly foreign: boolean }) => {
      const { yes, wait, clientId, foreign, ...venue } = raw;
      const ref = refOf(command, id, clientId);
      return act({ ...venue, what: 'cancel', order: ref, foreign, yes, waitMs: wait });
    });
}

type RawAmend = RawWrite &
  RawRef & {
    readonly limit?: string;
    readonly quantity?: string;
    readonly partial: boolean;
    readonly inPlace: boolean;
  };

function addAmend(order: Command, debug: boolean, act: Act<OrderOptions>): void {
  const command = withRef(withWait(withConfig(order.command('amend'), debug)))
    .description('Cancel a limit order and, once that is proved, place what is left of it anew.')
    .option('--limit <price>', 'the new price, USDT (required)', values.amount)
    .option(
      '--quantity <units>',
      'the new quantity, filled part included (required)',
      values.amount,
    )
    .option('--partial', 'also where a part is filled', false)
    .option(
      '--in-place',
      "by the venue's amend, proved or fenced, instead of cancel and place",
      false,
    )
    .addHelpText(
      'after',
      examples(
        'sluice order amend 0190b7a3-… --limit 59000 --quantity 0.002 --config config/sandbox.yaml',
      ),
    )
    .action((id: string | undefined, raw: RawAmend) => {
      const { yes, wait, clientId, limit, quantity, partial, inPlace, ...venue } = raw;
      const ref = refOf(command, id, clientId);
      if (limit === undefined || quantity === undefined)
        return command.error(
          "error: options '--limit <price>' and '--quantity <units>' are needed",
        );
      return act({
        ...venue,
        what: 'amend',
        order: ref,
        limit,
        quantity,
        partial,
        inPlace,
        yes,
        waitMs: wait,
      });
    });
}

type RawResolve = VenueOptions & RawRef & { readonly yes: boolean; readonly neverLanded: boolean };

function addResolve(order: Command, debug: boolean, act: Act<OrderOptions>): void {
  const command = withConsent(withConfig(order.command('resolve'), debug))
    .description('Say what became of an order of ours whose outcome nobody can prove.')
    .argument('[id]', 'its client order id', values.clientOrderId)
    .option('--client-id <id>', 'the same', values.clientOrderId)
    .option('--never-landed', 'you know that the venue never had it (required)', false)
    .addHelpText(
      'after',
      examples(
        'sluice order resolve 7ubgiz-wnk56… --never-landed --config config/sandbox.yaml',
        'sluice order resolve 7ubgiz-wnk56… --never-landed --config config/sandbox.yaml --yes --json',
      ),
    )
    .action((id: string | undefined, raw: RawResolve) => {
      const { yes, clientId, neverLanded, ...venue } = raw;
      if ((id === undefined) === (clientId === undefined))
        return command.error('error: name the order once, by its client order id');
      if (!neverLanded)
        return command.error(
          "error: option '--never-landed' is missing: it is the one thing that you can say of an order, and only when you know it",
        );
      return act({ ...venue, what: 'resolve', clientOrderId: id ?? clientId ?? '', yes });
    });
}

function addShow(order: Command, debug: boolean, act: Act<OrderOptions>): void {
  const command = withRef(withVenue(order.command('show'), debug))
    .description('One order, with its fills.')
    .addHelpText(
      'after',
      examples('sluice order show --client-id abc --config config/sandbox.yaml'),
    )
    .action((id: string | undefined, { clientId, ...venue }: VenueOptions & RawRef) =>
      act({ ...venue, what: 'show', order: refOf(command, id, clientId) }),
    );
}

/** `sluice probe` */
export function addProbe(program: Command, debug: boolean, act: Act<ProbeOptions>): void {
  withVenue(program.command('probe'), debug)
    .description('Ask a real venue what its interface does not say.')
    .option('--read-only', 'ask by reads alone (the default)', true)
    .option('--min-size', 'also by minimum orders, after a typed confirmation', false)
    .option('--symbol <symbol>', 'to ask with', values.symbol, 'BTCUSDT')
    .option('--out <file>', 'write the answers as a venue profile, for `sluice sandbox --profile`')
    .addHelpText(
      'after',
      examples(
        'sluice probe --base-url https://api.example.com --secret-file secret --out venue-profile.json',
        'sluice probe --config config/sandbox.yaml --min-size',
      ),
    )
    .action(({ readOnly: _default, ...options }: ProbeOptions & { readonly readOnly: boolean }) =>
      act(options),
    );
}
