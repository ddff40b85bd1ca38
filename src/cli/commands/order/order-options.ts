import { Option, type Command } from 'commander';
import type { OrderRef, Side } from '../../../core/order.js';
import {
  examples,
  withConfig,
  withConsent,
  withVenue,
  type CommandAction,
  type VenueOptions,
} from '../../shared-options.js';
import * as values from '../../values.js';

interface OrderWrite {
  /** Skips the typed confirmation. */
  readonly yes: boolean;
  /** Real ms to wait for the proof of the outcome. */
  readonly waitMs: number;
}

/** Prices and quantities are plain decimal texts: USDT and base units. */
export type OrderTask =
  | ({
      readonly what: 'place';
      readonly side: Side;
      readonly symbol: string;
      readonly quantity: string;
      /** Absent: a market order. */
      readonly limit?: string;
      readonly reduceOnly: boolean;
      readonly stop?: string;
      readonly target?: string;
      /** Idempotency key: it never has two orders, even when the outcome of the first command is unknown. */
      readonly once?: string;
    } & OrderWrite)
  | ({
      readonly what: 'cancel';
      readonly order: OrderRef;
      /** The user confirms that the order is not one of this configuration. */
      readonly external: boolean;
    } & OrderWrite)
  | ({
      readonly what: 'amend';
      readonly order: OrderRef;
      readonly limit: string;
      /** Includes the filled quantity. */
      readonly quantity: string;
      /** Also when a part is filled. */
      readonly partial: boolean;
      /** By the venue's own amend request. */
      readonly inPlace: boolean;
    } & OrderWrite)
  | {
      readonly what: 'resolve';
      readonly clientOrderId: string;
      readonly yes: boolean;
    }
  | { readonly what: 'show'; readonly order: OrderRef };

export type OrderOptions = VenueOptions & OrderTask;

type OrderAction = CommandAction<OrderOptions>;
const WAIT_MS = 30_000;

const withWait = (command: Command): Command =>
  withConsent(command).addOption(
    new Option('--wait <time>', 'how long to wait for the proof of the outcome')
      .argParser(values.parseDuration)
      .default(WAIT_MS, '30s'),
  );

/** `sluice order`: its subcommands place, change and read one order. */
export function addOrder(program: Command, debug: boolean, action: OrderAction): void {
  const order = program
    .command('order')
    .description('Manage one order manually, through the risk gate and the journal.')
    .addHelpText(
      'after',
      examples(
        'sluice order place buy BTCUSDT --quantity 0.001 --config config/sandbox.yaml',
        'sluice order show --client-id abc --config config/sandbox.yaml --json',
      ),
    );
  addPlace(order, debug, action);
  addCancel(order, debug, action);
  addAmend(order, debug, action);
  addResolve(order, debug, action);
  addShow(order, debug, action);
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

function addPlace(order: Command, debug: boolean, action: OrderAction): void {
  const command = withWait(withConfig(order.command('place'), debug))
    .description('Place an order and wait until its outcome is proved.')
    .argument('<side>', 'buy or sell', values.oneOf(['buy', 'sell']))
    .argument('<symbol>', 'such as BTCUSDT', values.parseSymbol);
  addTermOptions(command)
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
      return action({ ...venue, ...task });
    });
}

const addTermOptions = (command: Command): Command =>
  command
    .option('--quantity <units>', 'base units, such as 0.001 (required)', values.parseAmount)
    .option('--limit <price>', 'limit price in USDT (default: a market order)', values.parseAmount)
    .option('--reduce-only', 'only reduce an open position', false)
    .option('--stop <price>', 'stop loss, sent with the order', values.parseAmount)
    .option('--target <price>', 'take profit, sent with the order', values.parseAmount)
    .option(
      '--once <key>',
      'for scripts: one order per key, however often the command runs',
      values.parseClientOrderId,
    );

interface RawRef {
  readonly clientId?: string;
}

const withRef = (command: Command): Command =>
  command
    .argument('[id]', "the venue's order id")
    .option('--client-id <id>', 'the client order id instead', values.parseClientOrderId);

/** Exactly one of the two ids is required. */
function refOf(command: Command, id: string | undefined, clientId: string | undefined): OrderRef {
  if (id !== undefined && clientId === undefined) return { orderId: id };
  if (clientId !== undefined && id === undefined) return { clientOrderId: clientId };
  return command.error('error: name the order by its id, or by --client-id');
}

function addCancel(order: Command, debug: boolean, action: OrderAction): void {
  const command = withRef(withWait(withConfig(order.command('cancel'), debug)))
    .description('Cancel an order and wait until the cancel is proved.')
    .option('--foreign', 'the order does not belong to this configuration', false)
    .addHelpText('after', examples('sluice order cancel 0190b7a3-… --config config/sandbox.yaml'))
    .action((id: string | undefined, raw: RawWrite & RawRef & { readonly foreign: boolean }) => {
      const { yes, wait, clientId, foreign: external, ...venue } = raw;
      const ref = refOf(command, id, clientId);
      return action({ ...venue, what: 'cancel', order: ref, external, yes, waitMs: wait });
    });
}

type RawAmend = RawWrite &
  RawRef & {
    readonly limit?: string;
    readonly quantity?: string;
    readonly partial: boolean;
    readonly inPlace: boolean;
  };

function addAmend(order: Command, debug: boolean, action: OrderAction): void {
  const command = withRef(withWait(withConfig(order.command('amend'), debug))).description(
    'Cancel a limit order, wait for the proof, then place the remaining quantity as a new order.',
  );
  addAmendOptions(command)
    .addHelpText(
      'after',
      examples(
        'sluice order amend 0190b7a3-… --limit 59000 --quantity 0.002 --config config/sandbox.yaml',
      ),
    )
    .action((id: string | undefined, raw: RawAmend) => {
      const { yes, wait, clientId, limit, quantity, ...rest } = raw;
      const ref = refOf(command, id, clientId);
      if (limit === undefined || quantity === undefined)
        return command.error(
          "error: options '--limit <price>' and '--quantity <units>' are needed",
        );
      return action({ ...rest, what: 'amend', order: ref, limit, quantity, yes, waitMs: wait });
    });
}

const addAmendOptions = (command: Command): Command =>
  command
    .option('--limit <price>', 'the new price in USDT (required)', values.parseAmount)
    .option(
      '--quantity <units>',
      'the new quantity, including the filled part (required)',
      values.parseAmount,
    )
    .option('--partial', 'also when a part is filled', false)
    .option(
      '--in-place',
      "use the venue's amend request; falls back to cancel and place when it is not proved",
      false,
    );

type RawResolve = VenueOptions & RawRef & { readonly yes: boolean; readonly neverLanded: boolean };

function addResolve(order: Command, debug: boolean, action: OrderAction): void {
  const command = withConsent(withConfig(order.command('resolve'), debug))
    .description('End an own order whose outcome cannot be proved.')
    .argument('[id]', 'its client order id', values.parseClientOrderId)
    .option('--client-id <id>', 'its client order id', values.parseClientOrderId)
    .option('--never-landed', 'you know that the venue never received it (required)', false)
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
          "error: option '--never-landed' is missing: an order can be ended only when you know that the venue never received it",
        );
      return action({ ...venue, what: 'resolve', clientOrderId: id ?? clientId ?? '', yes });
    });
}

function addShow(order: Command, debug: boolean, action: OrderAction): void {
  const command = withRef(withVenue(order.command('show'), debug))
    .description('Print one order and its fills.')
    .addHelpText(
      'after',
      examples('sluice order show --client-id abc --config config/sandbox.yaml'),
    )
    .action((id: string | undefined, { clientId, ...venue }: VenueOptions & RawRef) =>
      action({ ...venue, what: 'show', order: refOf(command, id, clientId) }),
    );
}
