# The state lives in the volume /app/.sluice: without it a restart knows nothing of its orders.
# A stop takes as long as stop_timeout of the configuration (30 s by default) while positions are closed, but
# `docker stop` kills after 10 s: give it more, `docker stop -t 40`, or stop_grace_period: 40s in a compose file.
ARG NODE_IMAGE=node:22.23.3-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --ignore-scripts
COPY . .
RUN node scripts/prepare.mjs --pack

FROM ${NODE_IMAGE}
# glibc: each further arena keeps freed memory, 10 MB in all.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
COPY --from=build /build/lib lib
COPY bin bin
COPY scripts/prepare.mjs scripts/
COPY scripts/prepare scripts/prepare
COPY config config
COPY templates templates
# The state directory is a volume of its own; everything else stays root's and read-only.
RUN mkdir -m 700 .sluice backtests && chown node:node .sluice backtests
VOLUME ["/app/.sluice"]
USER node
STOPSIGNAL SIGTERM
# The age of the last decided candle, not a port: a bot with a dead feed still runs.
HEALTHCHECK --interval=30s --timeout=10s --start-period=3m --retries=2 CMD ["node", "bin/sluice.mjs", "health"]
ENTRYPOINT ["node", "bin/sluice.mjs"]
CMD ["run", "--config", "config/demo.yaml"]
