#!/usr/bin/env bash
# Runs in a mount namespace of its own, called by image.sh: the image with a read-only root and the state alone
# writable, as its unprivileged user. Checks the health while candles come, when they stop, and after a stop.
# Usage: image-trial.sh ROOT STATE
set -euo pipefail
root=$1 state=$2

mount --bind "$root" "$root"
mount -t tmpfs tmpfs "$root/tmp"
mount --bind "$state" "$root/app/.sluice"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -o remount,bind,ro "$root"

# A list and not a function: of a command in the background the shell then knows the process itself.
inside=(chroot "$root" setpriv --reuid=1000 --regid=1000 --clear-groups --no-new-privs --bounding-set=-all
  --inh-caps=-all env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/tmp NODE_ENV=production
  sh -c 'cd /app && exec "$@"' sh)
sluice=("${inside[@]}" node bin/sluice.mjs)
fail() { printf 'image: %s\n' "$1" >&2 && exit 1; }

if "${inside[@]}" touch /app/written 2>/dev/null || "${inside[@]}" touch /usr/written 2>/dev/null; then
  fail 'the root is not read-only'
fi
"${inside[@]}" touch /app/.sluice/written || fail 'the state cannot be written'

if (exec 3<>/dev/tcp/127.0.0.1/18787) 2>/dev/null; then fail 'port 18787 is taken: end its process'; fi
exchange=$(mktemp)
"${sluice[@]}" sandbox --port 18787 --secret trial-secret --clock fast:60 >"$exchange" 2>&1 &
exchange_pid=$!
trap 'kill "$exchange_pid" "${daemon_pid:-$exchange_pid}" 2>/dev/null || true' EXIT
(umask 077 && printf 'trial-secret\n' >"$state/secret") && chown 1000:1000 "$state/secret"
cat >"$state/bot.yaml" <<'YAML'
mode: sandbox
account: trial
venue: { base_url: http://127.0.0.1:18787, ws_url: ws://127.0.0.1:18787, api_secret_file: /app/.sluice/secret }
state_dir: /app/.sluice/trial
on_stop: keep
strategies:
  - { id: cross, use: sma-cross, symbols: [BTCUSDT], leverage: 2, size: { notional: '250' }, protect: { stop_loss_pct: 2 }, params: { fast: 2, slow: 3 } }
risk: { preset: standard, symbols_allow: [BTCUSDT], daily_turnover_x_equity: 100, max_orders_per_day: 5000 }
YAML
until (exec 3<>/dev/tcp/127.0.0.1/18787) 2>/dev/null; do sleep 0.2; done

summary=$(mktemp)
start() {
  "${sluice[@]}" run --config /app/.sluice/bot.yaml --json >"$summary" 2>"$state/daemon.log" &
  daemon_pid=$!
}
# Returns once a position is open, which only happens while candles come.
await_position() {
  for _ in $(seq 120); do
    case $("${sluice[@]}" status /app/.sluice/trial --json 2>/dev/null || true) in
      *'"running":true'*'"symbol":"BTCUSDT","currency"'*) return ;;
    esac
    sleep 0.5
  done
  tail -20 "$state/daemon.log" >&2
  fail 'no position within a minute'
}
# SIGTERM is what `docker stop` sends.
stop() {
  local code=0
  kill -TERM "$daemon_pid"
  wait "$daemon_pid" || code=$?
  [ "$code" = 0 ] || { tail -20 "$state/daemon.log" >&2; fail "SIGTERM ended with code $code"; }
  tail -n 1 "$summary"
}

# A position may close between the look and the signal.
kept=no
for _ in 1 2 3; do
  start
  await_position
  "${sluice[@]}" health /app/.sluice/trial || fail 'the health is red while candles come'
  stop
  case $(tail -n 1 "$summary") in *'"positions":[{'*) kept=yes && break ;; esac
done
[ "$kept" = yes ] || fail 'no stop with a position open in three attempts'
if "${sluice[@]}" health /app/.sluice/trial; then fail 'the health is green after the stop'; fi

start
await_position
kill -STOP "$exchange_pid"
sleep 6
if "${sluice[@]}" health /app/.sluice/trial --max-late 3s; then fail 'the health is green though no candle comes'; fi
kill -CONT "$exchange_pid"
sleep 5

stop
printf 'read-only root, no capabilities: traded, stopped and started with a position open, health red without candles\n'
