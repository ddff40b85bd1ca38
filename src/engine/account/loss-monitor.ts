import type { PositionChangeReason, WalletReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { EventTime } from '../../core/events.js';
import { add, negate, smaller, ZERO, type Amount, type Usdt } from '../../core/fixed/fixed.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { PositionLedger } from '../../execution/position-ledger.js';
import type { RecoveredLosses } from '../../execution/recovery/recovered-losses.js';
import type { RequestTracker } from '../../execution/request-tracker.js';
import type { ControlId } from '../../risk/control-id.js';
import { lossStreakText } from '../../risk/controls/losses.js';
import type { LossLimits } from '../../risk/limits/loss-limits.js';
import type { LossFacts } from '../../risk/loss/loss-facts.js';
import { LossLedger, type LossMeasure } from '../../risk/loss/loss-ledger.js';
import type { WalletTransferState } from '../../risk/loss/wallet-baseline.js';
import { DAY_MS } from '../../core/interval.js';
import { tradingDayOf } from '../../risk/loss/trading-day.js';
import type { AccountEquity } from './account-equity.js';
import { DayConfirmation } from './day-confirmation.js';
import { LossEquity } from './loss-equity.js';
import { LossRecord } from './loss-record.js';
import { TradeResults, type RealisedTrade } from './trade-results.js';
import { TransferMonitor } from './transfer-monitor.js';

export interface LossMonitorParts {
  readonly stamp: Readonly<EventTime>;
  readonly currency: Currency;
  /** In force now. */
  readonly limits: () => LossLimits;
  readonly effects: EffectSink;
  readonly journal: Journal;
  readonly requests: RequestTracker;
  readonly positions: PositionLedger;
  readonly equity: AccountEquity;
  /** Positions and wallet of the account are known. */
  readonly isReady: () => boolean;
  /** The run ends as planned. */
  readonly isStopping: () => boolean;
  /** The newest read of the wallet. */
  readonly wallet: () => WalletReport | undefined;
  /** Positions read after this monotonic time agree, and none changed shortly before it. */
  readonly hasSettled: (startedAt: number) => boolean;
  readonly recovered?: RecoveredLosses;
}

/** A read of the wallet that waits for a read of the positions. */
interface WalletRead {
  readonly wallet: Amount;
  readonly startedAt: number;
  readonly venueTime: number;
}

/** Feeds the loss ledger with the account's events, keeps it in the journal, and computes the gate's figures. */
export class LossMonitor {
  readonly #parts: LossMonitorParts;
  readonly results: TradeResults;
  readonly #record: LossRecord;
  readonly #equity: LossEquity;
  #ledger: LossLedger | undefined;
  #transfers: TransferMonitor | undefined;
  #walletRead: WalletRead | undefined;
  /** Monotonic ms of the last fill or close. */
  #tradedAt = Number.NEGATIVE_INFINITY;
  readonly #dayConfirmation = new DayConfirmation();
  /** End of the counted venue day, ms UTC. */
  #dayEndsAt = Number.POSITIVE_INFINITY;

  constructor(parts: LossMonitorParts) {
    this.#parts = parts;
    this.results = new TradeResults({
      ...parts,
      onFill: (result) => {
        this.#onFill(result);
      },
      onExternalClose: (result, reason) => {
        this.#onExternalClose(result, reason);
      },
      onFlat: (profit) => {
        this.#onFlat(profit);
      },
    });
    const { recovered } = parts;
    this.#record = new LossRecord(parts, recovered);
    this.#equity = new LossEquity(parts);
    if (recovered === undefined) return;
    this.#ledger = new LossLedger(recovered.counters);
    this.#transfers = this.#transfersFrom(recovered.transfers, true);
  }

  /** Start of the counted venue day, ms UTC; undefined before the first. */
  get day(): number | undefined {
    return this.#ledger?.day;
  }

  /** Controls whose limit is exceeded until a person resumes, as journaled. */
  get latched(): readonly ControlId[] {
    return this.#ledger?.latched ?? [];
  }

  /** A change of the wallet that neither trades nor transfers explain so far. */
  get unexplained(): Amount | undefined {
    return this.#transfers?.baseline.unexplained?.amount;
  }

  /**
   * Balance and locked margin with the PnL of trades that a read of the wallet is too old to show; undefined: there is
   * none, or the wallet is not explained.
   * @param readAt start of the read, monotonic ms
   */
  cashAfterTrades(currency: Currency, readAt: number): Amount | undefined {
    const baseline = this.#transfers?.baseline;
    if (readAt > this.#tradedAt || currency !== this.#parts.currency) return undefined;
    // The wallet of a backtest is read with each fill.
    if (this.#isTrusted) return undefined;
    if (baseline === undefined || baseline.isRecovered) return undefined;
    return baseline.unexplained === undefined ? baseline.cash : undefined;
  }

  /** The figures at the current prices; undefined while the equity is not known. */
  facts(currency: Currency): LossFacts | undefined {
    if (currency !== this.#parts.currency) return undefined;
    const measure = this.measure();
    if (measure === undefined || this.#ledger === undefined) return undefined;
    const dayStartUsdt = this.#parts.equity.toUsdt(measure.dayStart);
    if (dayStartUsdt === undefined) return undefined;
    const { orders, turnover, losingCloses, pausedUntil } = this.#ledger;
    const { unexplained } = this;
    // Member by member: a spread costs more than all comparisons of an order.
    return {
      dayLoss: measure.dayLoss,
      dayStart: measure.dayStart,
      drawdown: measure.drawdown,
      highWater: measure.highWater,
      dayStartUsdt,
      unexplained,
      orders,
      turnover,
      losingCloses,
      pausedUntil,
    };
  }

  /** Equity against the limits' bases. Counting begins at the first call once the account is known. */
  measure(): LossMeasure | undefined {
    if (this.#ledger === undefined) this.#begin();
    if (this.#isDayOver) this.#startDay(tradingDayOf(this.#parts.stamp.venueTime));
    if (this.#equity.isRecovered) return this.#measureRecovered();
    const equity = this.#equity.explained;
    return equity === undefined ? undefined : this.#ledger?.measure(equity);
  }

  /**
   * A loss counts if it is one at both ends of the equity's range, and so does a new high water. A later venue day has no
   * start yet to compare with.
   */
  #measureRecovered(): LossMeasure | undefined {
    const ledger = this.#ledger;
    const { range } = this.#equity;
    if (ledger === undefined || range === undefined) return undefined;
    const measure = ledger.measure(range.highest, range.lowest);
    if (tradingDayOf(this.#parts.stamp.venueTime) <= ledger.day) return measure;
    return { ...measure, dayLoss: smaller(measure.dayLoss, ZERO as Amount) };
  }

  /** Whether no limit can be exceeded and no day can have begun, as at nearly every event. */
  isSafe(limits: LossLimits): boolean {
    if (this.#ledger === undefined || this.#isDayOver) return false;
    const equity = this.#equity.explained;
    return equity !== undefined && this.#ledger.isSafe(equity, limits);
  }

  /** The present equity is within all limits. */
  setSafe(limits: LossLimits): void {
    const equity = this.#equity.explained;
    if (equity !== undefined) this.#ledger?.setSafe(equity, limits);
  }

  /** Backtest: a venue day begins at the close of a candle, whether or not anything trades. */
  onCandle(): void {
    if (this.#isDayOver) this.measure();
  }

  onWallet({ balance, locked }: WalletReport, startedAt: number): void {
    const { venueTime } = this.#parts.stamp;
    const wallet = add(balance, locked);
    if (this.#isTrusted) {
      this.#transfers?.baseline.accept(wallet, venueTime);
      return;
    }
    this.#walletRead = { wallet, startedAt, venueTime };
    this.#confirmDay(startedAt);
    this.#saveIfDue();
  }

  /** A list of positions has arrived: an earlier read of the wallet may be comparable now. */
  onPositions(): void {
    const read = this.#walletRead;
    if (read === undefined || !this.#parts.hasSettled(read.startedAt)) return;
    const notional = this.#parts.equity.notional();
    if (notional === undefined || this.#transfers === undefined) return;
    this.#walletRead = undefined;
    this.#transfers.onWallet(read.wallet, read.venueTime, notional);
    this.#saveIfDue();
  }

  /** The run ends as planned: the next one begins at the newest wallet. */
  onStopping(): void {
    this.#saveIfDue();
  }

  /** An order of ours passed the gate. */
  onOrder(): void {
    this.#ledger?.countOrder();
  }

  /** A limit is exceeded until a person resumes. */
  onLatched(control: ControlId): void {
    this.#ledger?.latch(control);
    this.#save();
  }

  /** A person accepts the losses so far, or a backtest re-arms: the limits begin anew at this equity. */
  rebase(): void {
    const { wallet, isRecovered, baseline } = this.#equity;
    // The change since the run before is accepted with them.
    if (isRecovered && wallet !== undefined) baseline?.accept(wallet, this.#parts.stamp.venueTime);
    const equity = this.#equity.explained;
    if (equity === undefined || this.#ledger === undefined) return;
    this.#ledger.rebase(equity);
    this.#save();
  }

  /** The venue behind a backtest is the account itself: its wallet needs no explanation. */
  get #isTrusted(): boolean {
    return !this.#parts.effects.journaling;
  }

  /** Where the venue's time is trusted. */
  get #isDayOver(): boolean {
    return this.#isTrusted && this.#parts.stamp.venueTime >= this.#dayEndsAt;
  }

  #begin(): void {
    const { stamp, equity, isReady } = this.#parts;
    const { wallet } = this.#equity;
    const unrealised = equity.unrealised();
    if (wallet === undefined || unrealised === undefined || !isReady()) return;
    const baseline = { wallet, walletAt: stamp.venueTime, transferIds: [] };
    this.#transfers = this.#transfersFrom(baseline, false);
    const day = tradingDayOf(stamp.venueTime);
    this.#ledger = LossLedger.begin(add(wallet, unrealised), day);
    this.#dayEndsAt = day + DAY_MS;
    this.#save();
  }

  #transfersFrom(state: WalletTransferState, isRecovered: boolean): TransferMonitor {
    const parts = {
      ...this.#parts,
      onTransfers: (sum: Amount): void => {
        this.#onTransfers(sum);
      },
      onExplained: (): void => {
        this.#save();
      },
    };
    const transfers = new TransferMonitor(parts, state, isRecovered);
    this.#equity.baseline = transfers.baseline;
    return transfers;
  }

  #confirmDay(startedAt: number): void {
    const day = tradingDayOf(this.#parts.stamp.venueTime);
    if (this.#dayConfirmation.confirms(day, this.day ?? day, startedAt)) this.#startDay(day);
  }

  #startDay(day: number): void {
    if (this.#ledger === undefined || day <= this.#ledger.day) return;
    const equity = this.#equity.explained;
    if (equity === undefined) return;
    this.#ledger.startDay(day, equity);
    this.#dayEndsAt = day + DAY_MS;
    this.#save();
  }

  #onTransfers(sum: Amount): void {
    const equity = this.#equity.before(sum);
    if (sum > 0) this.#ledger?.deposit(sum);
    else if (equity !== undefined) this.#ledger?.withdraw(negate(sum), equity);
  }

  #onFill(result: RealisedTrade): void {
    this.measure();
    if (this.#ledger === undefined) return;
    this.#tradedAt = this.#parts.stamp.monotonic;
    this.#ledger.countFill(result.notional);
    const [realised, notional] = this.#amountsOf(result);
    this.#transfers?.baseline.onFill(realised, notional);
  }

  /** A stop or a target is our trade, carried out by the venue. The wallet of a backtest has the close already. */
  #onExternalClose(result: RealisedTrade, reason: PositionChangeReason): void {
    if (reason === 'stop_loss' || reason === 'take_profit')
      this.#ledger?.countFill(result.notional);
    if (this.#isTrusted) return;
    this.#tradedAt = this.#parts.stamp.monotonic;
    const [realised, notional] = this.#amountsOf(result);
    this.#transfers?.baseline.onEstimatedClose(realised, notional);
  }

  #onFlat(profit: Usdt): void {
    const { limits, stamp } = this.#parts;
    const { streak } = limits();
    const until = stamp.venueTime + (streak?.pauseMs ?? 0);
    const pause = streak === undefined ? undefined : { losses: streak.losses, until };
    const isPaused = this.#ledger?.countClose(profit, pause) === true;
    if (isPaused && streak !== undefined) this.#notifyPause(streak.losses, until);
    if (streak !== undefined) this.#save();
  }

  #notifyPause(losses: number, until: number): void {
    const { effects } = this.#parts;
    // A backtest would repeat it after each streak.
    if (!effects.journaling) return;
    effects.notify({
      level: 'warn',
      text: lossStreakText(losses, until),
      fields: { control: 'R26' },
    });
  }

  #amountsOf({ realised, notional }: RealisedTrade): readonly [Amount, Amount] {
    const { equity } = this.#parts;
    const none = ZERO as Amount;
    return [equity.fromUsdt(realised) ?? none, equity.fromUsdt(notional) ?? none];
  }

  #saveIfDue(): void {
    if (this.#ledger === undefined || this.#transfers === undefined) return;
    this.#record.saveIfDue(this.#ledger, this.#transfers.state);
  }

  #save(): void {
    if (this.#ledger === undefined || this.#transfers === undefined) return;
    this.#record.save(this.#ledger.counters, this.#transfers.state);
  }
}
