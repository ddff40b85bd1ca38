# syntax=docker/dockerfile:1
FROM node:20-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --ignore-scripts
COPY . .
RUN node scripts/prepare.mjs

FROM node:20-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
COPY --from=build /build/dist dist
COPY bin bin
COPY scripts scripts
COPY config config
# The state directory is a volume of its own; everything else stays root's and read-only.
RUN mkdir -m 700 .sluice backtests && chown node:node .sluice backtests
VOLUME ["/app/.sluice"]
USER node
ENTRYPOINT ["node", "bin/sluice.mjs"]
CMD ["run", "--config", "config/demo.yaml"]
