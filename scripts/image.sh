#!/usr/bin/env bash
# Builds the Dockerfile where there is no container engine, and runs the demo in the image as its own user.
# The base is Debian with the `node` and `npm` of npm's registry. Mirrors, proxies and certificates are those
# of this machine's apt and npm, read when it runs. Needs root, and Debian's buildah and mmdebstrap.
# Usage: scripts/image.sh [--install-tools] [--node 22.23.3] [--seconds 15] [--keep]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

node_version=22.23.3
seconds=15
install_tools=no
keep=no
while [ $# -gt 0 ]; do
  case $1 in
    --install-tools) install_tools=yes ;;
    --keep) keep=yes ;;
    --node) node_version=$2 && shift ;;
    --seconds) seconds=$2 && shift ;;
    *) printf 'usage: %s [--install-tools] [--node VERSION] [--seconds N] [--keep]\n' "$0" >&2 && exit 2 ;;
  esac
  shift
done

step() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }

missing=()
for tool in buildah mmdebstrap; do command -v "$tool" >/dev/null || missing+=("$tool"); done
if [ "${#missing[@]}" -gt 0 ]; then
  if [ "$install_tools" = no ]; then
    printf 'image: %s missing: apt-get install %s, or run this with --install-tools\n' \
      "${missing[*]}" "${missing[*]}" >&2
    exit 2
  fi
  step "apt-get install ${missing[*]}"
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

work=$(mktemp -d)
export STORAGE_DRIVER=vfs
run_root=(--root "$work/storage" --runroot "$work/run")
cleanup() {
  code=$?
  buildah "${run_root[@]}" rm --all >/dev/null 2>&1 || true
  if [ "$keep" = yes ]; then printf 'kept: %s\n' "$work"; else rm -rf "$work"; fi
  exit "$code"
}
trap cleanup EXIT

# This machine's npm settings, for the base and for the build: no host is named here.
npmrc=$work/npmrc
for key in registry proxy https-proxy noproxy strict-ssl; do
  value=$(npm config get "$key" 2>/dev/null || true)
  case $value in null | undefined | '') ;; *) printf '%s=%s\n' "$key" "$value" ;; esac
done >"$npmrc"
printf 'cafile=/etc/ssl/certs/ca-certificates.crt\n' >>"$npmrc"
chmod 644 "$npmrc"

step "the base: Debian with Node $node_version"
# shellcheck source=/dev/null
suite=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
rootfs=$work/rootfs
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
  [ -s "$file" ] && sources+=("$file")
done
mmdebstrap --quiet --variant=minbase --include=ca-certificates "$suite" "$rootfs" "${sources[@]}"
mkdir -p "$work/tools"
printf '{}' >"$work/tools/package.json"
npm install --prefix "$work/tools" --silent --no-audit --no-fund "node@$node_version" "npm@$(npm --version)"
install -m 755 "$(readlink -f "$work/tools/node_modules/.bin/node")" "$rootfs/usr/local/bin/node"
mkdir -p "$rootfs/usr/local/lib/node_modules" "$rootfs/usr/local/etc"
cp -r "$work/tools/node_modules/npm" "$rootfs/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$rootfs/usr/local/bin/npm"
chroot "$rootfs" useradd --create-home --uid 1000 node
base=$(buildah "${run_root[@]}" from scratch)
buildah "${run_root[@]}" add --quiet "$base" "$rootfs" / >/dev/null
buildah "${run_root[@]}" config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$base"
buildah "${run_root[@]}" commit --quiet "$base" localhost/sluice-base >/dev/null
rm -rf "$rootfs" "$work/tools"

step 'the image'
buildah "${run_root[@]}" bud --format docker --isolation chroot --pull-never --build-arg NODE_IMAGE=localhost/sluice-base \
  --volume "$npmrc:/usr/local/etc/npmrc:ro" --volume /etc/ssl/certs:/etc/ssl/certs:ro \
  --tag localhost/sluice .
container=$(buildah "${run_root[@]}" from --pull-never localhost/sluice)

step "the demo, as the user of the image, for $seconds s"
said() { buildah "${run_root[@]}" inspect --type image --format "{{.OCIv1.Config.$1}}" localhost/sluice; }
[ "$(said User)" = node ] || { printf 'image: the user of the image is "%s"\n' "$(said User)" >&2 && exit 1; }
[ "$(said StopSignal)" = SIGTERM ] || { printf 'image: no STOPSIGNAL SIGTERM\n' >&2 && exit 1; }
docker_said() { buildah "${run_root[@]}" inspect --type image --format "{{.Docker.Config.$1}}" localhost/sluice; }
case $(docker_said Healthcheck.Test) in
  *health*) ;;
  *) printf 'image: no HEALTHCHECK by sluice health\n' >&2 && exit 1 ;;
esac
in_image() { buildah "${run_root[@]}" run --isolation chroot --user node "$container" -- "$@"; }
[ "$(in_image id -u)" = 1000 ] || { printf 'image: it does not run as uid 1000\n' >&2 && exit 1; }
if in_image touch /app/lib/written 2>/dev/null; then
  printf 'image: its user can write to the program\n' >&2
  exit 1
fi
in_image node --version
in_image node bin/sluice.mjs run --config config/demo.yaml --duration "${seconds}s" --json |
  tail -n 1 >"$work/summary.json"
node -e '
  const summary = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
  const { orders_filled: filled, unknown, reconciled } = summary;
  if (!(filled > 0) || unknown !== 0 || reconciled !== true) {
    console.error("image: the demo must fill orders, leave none unknown and be reconciled");
    console.error(JSON.stringify(summary));
    process.exit(1);
  }
  console.log(`the demo filled ${filled} orders, 0 unknown, reconciled`);
' "$work/summary.json"
step 'the hardened image: read-only root, no privileges, a stop with positions open'
if unshare --mount true 2>/dev/null; then
  mounted=$(buildah "${run_root[@]}" mount "$container")
  mkdir -p "$work/state" && chown 1000:1000 "$work/state"
  unshare --mount --propagation private bash scripts/image-trial.sh "$mounted" "$work/state"
else
  printf 'not tried: this machine permits no mount namespace\n'
fi
step 'done'
