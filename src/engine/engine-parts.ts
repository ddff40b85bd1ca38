import { namespaceOf } from '../core/ids.js';
import { OrderProtocol } from '../execution/order/order-protocol.js';
import { headroomOf } from '../risk/headroom.js';
import { enforcesLimits } from '../risk/preset.js';
import type { StrategyHost } from '../strategy/host/host.js';
import { InactiveTargets } from './order/inactive-targets.js';
import { AccountExposure } from './account/account-exposure.js';
import { createLosses } from './account/create-losses.js';
import type { LossMonitor } from './account/loss-monitor.js';
import { ControlCounts } from './control-counts.js';
import { StartupGate } from './startup-gate.js';
import { submitExit, type EngineExit } from './engine-exit.js';
import { EngineFacts } from './engine-facts.js';
import { CandleRouter } from './market/candle-router.js';
import { CandleSeriesStore } from './market/candle-series-store.js';
import { StreamRouter } from './market/stream-router.js';
import { Operations } from './operations.js';
import { Operator } from './operator/operator.js';
import { LimitTightening } from './operator/limit-tightening.js';
import { Resumption } from './operator/resumption.js';
import { StrategyClose } from './operator/strategy-close.js';
import { StrategySwitches } from './operator/strategy-switches.js';
import { OrderManager } from './order/order-manager.js';
import { OrderChecks } from './order/order-checks.js';
import { OrderEventRouter } from './order/order-event-router.js';
import { PositionChangeNotifier } from './order/position-change-notifier.js';
import { Reconciliation } from './reconciliation/reconciliation.js';
import { attachStrategy, type EngineStrategyPortParts } from './engine-strategy-port.js';
import { StrategyRestarts } from './strategy-restarts.js';
import { CircuitBreakers } from './watch/circuit-breakers.js';
import { LeverageSettings } from './watch/leverage-settings.js';
import { MarketMonitor } from './watch/market-monitor.js';
import { OrderLifetime } from './watch/order-lifetime.js';
import { InstrumentMonitor } from './watch/instrument-monitor.js';
import { VenueAccess } from './watch/venue-access.js';
import { LeverageMonitor } from './watch/leverage-monitor.js';
import type { EngineOptions } from './engine-options.js';
import { createSharedParts, type SharedParts } from './shared-parts.js';

function createFacts(
  shared: SharedParts & {
    readonly leverage: LeverageSettings;
    readonly losses: LossMonitor | undefined;
  },
): EngineFacts {
  const { accountView: account } = shared;
  return new EngineFacts({ ...shared, account, exposure: new AccountExposure(shared) });
}

type HostParts = SharedParts & {
  readonly facts: EngineFacts;
  readonly protocol: OrderProtocol;
  readonly operations: Operations;
  readonly orderManager: OrderManager;
};

/** The strategy hosts and the routers that bring market data to them. */
function createHosts(options: EngineOptions, hosts: StrategyHost[], shared: HostParts) {
  const { currency, strategies, base, gate } = options;
  const { orderManager, operations } = shared;
  const streams = new StreamRouter({ ...shared, hosts });
  const submit = orderManager.submit.bind(orderManager);
  const { protectiveOrders } = operations;
  // A preset without limits does not cut sizes.
  const headroom: EngineStrategyPortParts['headroom'] = (query) =>
    enforcesLimits(gate.preset) ? headroomOf(query, shared.facts, gate.limits) : undefined;
  const parts = {
    ...shared,
    currency,
    submit,
    headroom,
    protectiveOrders,
  };
  hosts.push(...strategies.map((strategy) => attachStrategy(strategy, parts)));
  const series = new CandleSeriesStore(base, hosts);
  const router = new CandleRouter({ ...shared, series, hosts });
  return { streams, series, router, portParts: parts };
}

/** Composes the parts of an engine. */
export function engineParts(options: EngineOptions) {
  const { account, currency, effects, gate, strategies } = options;
  const shared = createSharedParts(options);
  const limits = new LimitTightening({
    ...shared,
    gate,
    ...(options.recovered !== undefined && { recovered: options.recovered.limitChanges }),
  });
  const { recovered } = options;
  const failedStarts = recovered !== undefined && { failedStarts: recovered.failedStarts };
  const breakers = new CircuitBreakers({ ...shared, gate, ...failedStarts });
  const orderEvents = new OrderEventRouter({ ...shared, breakers });
  const protocol = new OrderProtocol({ ...shared, engine: orderEvents });
  const operations = new Operations({
    ...shared,
    account,
    cancel: (order) => {
      protocol.cancel(order);
    },
    onEnded: (operation) => {
      operator.onOperationEnded(operation);
    },
    onProtectiveOrderEnded: (ended) => {
      reconciliation.protection.onProtectiveOrderEnded(ended);
    },
  });
  const { leverageSetter: setter, protectiveOrders } = operations;
  const onChanged = (): void => {
    startupGate.tryStartTrading();
  };
  const leverage = new LeverageSettings({
    setter,
    currency,
    onChanged,
    onFailed: (symbol, cause) => {
      const { tradingState } = shared;
      // A hold because the leverage was not known has another cause.
      if (tradingState.restriction('R15', symbol)?.class === 'self-clearing')
        tradingState.lift('R15', symbol, cause);
      tradingState.restrict({
        control: 'R15',
        symbol,
        to: 'REDUCE_ONLY',
        // A session of an operator restricts itself only.
        class: options.manualSession === true ? 'self-clearing' : 'latching',
        cause,
      });
    },
  });
  const symbols = (): Iterable<string> =>
    new Set(strategies.flatMap((strategy) => strategy.symbols));
  const leverageMonitor = new LeverageMonitor({ ...shared, currency, leverage, symbols });
  const isTraded = (symbol: string): boolean => series.find(symbol) !== undefined;
  const { losses, lossLimiter } = createLosses(options, {
    ...shared,
    isTraded,
    reconciliation: () => reconciliation,
    flatten: () => operator.flatten,
    cancelEntries: () => {
      operator.cancelEntries();
    },
  });
  const facts = createFacts({ ...shared, leverage, losses });
  const hosts: StrategyHost[] = [];
  const fences = options.fences ?? false;
  const inactiveTargets = new InactiveTargets({
    ...shared,
    currency,
    isRunning: (id) => strategies.some((each) => each.id === id) && !switches.isStopped(id),
  });
  const positionChanges = new PositionChangeNotifier({ effects, hosts, inactiveTargets });
  const orderParts = {
    ...shared,
    account,
    gate,
    facts,
    protocol,
    hosts,
    fences,
    positionChanges,
    losses,
    arePositionsKnown: () => reconciliation.unconfirmedPositions === undefined,
  };
  const orderChecks = new OrderChecks({
    ...orderParts,
    entryHold: (strategy) => switches.entryHold(strategy),
  });
  const orderManager = new OrderManager({ ...orderParts, checks: orderChecks });
  const market = createHosts(options, hosts, {
    ...shared,
    facts,
    protocol,
    operations,
    orderManager,
  });
  const { series } = market;
  const parts = { ...shared, facts, protocol, hosts, series };
  const submit = orderManager.submit.bind(orderManager);
  const strategyClose = new StrategyClose({
    ...parts,
    currency,
    submit,
    onClosed: (strategy, before) => {
      const isConfigured = strategies.some(({ id }) => id === strategy);
      for (const [symbol, quantity] of isConfigured ? before : [])
        positionChanges.onChangeWhileDown(symbol, quantity, 'a stop of its strategy closed it');
      switches.onClosed(strategy);
    },
  });
  const restarts = new StrategyRestarts({
    ...parts,
    ...market,
    areStarted: () => startupGate.areStrategiesStarted,
    instanceOf: options.restart,
  });
  const switches: StrategySwitches = new StrategySwitches({
    ...parts,
    restarts,
    close: strategyClose,
    ...(recovered !== undefined && { recovered: recovered.switches }),
  });
  const operator: Operator = new Operator({
    ...parts,
    submit,
    refuse: orderManager.refuse.bind(orderManager),
    objection: orderChecks.objection.bind(orderChecks),
    operations,
    limits,
    switches,
    adopt: (what) => {
      reconciliation.adopt(what);
    },
    positionsAgree: () => reconciliation.positionsAgree,
    readPositions: () => {
      reconciliation.readPositions();
    },
    onClosed: (symbol, before) => {
      positionChanges.onChangeWhileDown(symbol, before, 'a flatten closed its position');
    },
    resume: (scope) => {
      resumption.resume(scope);
    },
    withdrawResume: () => {
      resumption.withdraw();
    },
  });
  const close = (exit: EngineExit): void => {
    submitExit({ ...parts, submit }, exit);
  };
  const instrumentMonitor = new InstrumentMonitor({ ...options, ...parts, symbols, close });
  const reconciliation: Reconciliation = new Reconciliation({
    ...parts,
    currency,
    accountName: account,
    namespace: namespaceOf(account),
    account: shared.accountView,
    isTraded,
    protectiveOrders,
    limits: () => gate.limits,
    close,
    onPositionChanged: (symbol, text, cause, by) => {
      effects.notify({ level: 'warn', text });
      positionChanges.onExternalChange(symbol, cause, by);
      operator.continueFlatten();
    },
    onExternalClose: (close) => losses?.results.onExternalClose(close),
    onPositionChangedWhileDown: (symbol, before) => {
      positionChanges.onChangeWhileDown(symbol, before);
    },
  });
  const startupGate = new StartupGate({
    ...parts,
    switches,
    leverage,
    reconciliation,
    operator,
    onReady: () => {
      resumption.onReady();
      strategyClose.continue();
    },
  });
  const resumption: Resumption = new Resumption({
    ...parts,
    leverage,
    reconciliation,
    isFlattening: () => operator.flatten.isActive,
    resumeTargets: (symbol) => {
      startupGate.resume(symbol);
    },
  });
  const venueAccess = new VenueAccess({ ...parts, reconciliation });
  const watches = { leverage, instrumentMonitor, reconciliation, venueAccess };
  const actors = { ...watches, operations, operator };
  orderEvents.connect({ ...actors, orderChecks, orderManager });
  const orderLifetime = new OrderLifetime({ ...shared, protocol, gate });
  const counted = { ...shared, gate, breakers, orderManager, orderLifetime, reconciliation };
  return {
    marketMonitor: new MarketMonitor({ ...shared, facts, gate }),
    controlCounts: new ControlCounts(counted),
    orderLifetime,
    ...parts,
    ...market,
    losses,
    lossLimiter,
    limits,
    ...actors,
    leverageMonitor,
    breakers,
    switches,
    restarts,
    resumption,
    startupGate,
  };
}
