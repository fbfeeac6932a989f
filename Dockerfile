# The base is an argument so that a mirror, or a stand-in of the same shape, can take its place. A tag moves with the fixes
# of Debian and Node.js; a build that is to be the same tomorrow names its digest:
#   docker buildx imagetools inspect node:24-bookworm-slim --format '{{.Manifest.Digest}}'
#   docker build --build-arg BASE=node:24-bookworm-slim@sha256:… .
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# What the image runs is what npm users install: the package.
RUN npm pack --pack-destination /tmp && mkdir /app && tar -xzf /tmp/payments-sandbox-*.tgz --strip-components=1 -C /app

FROM ${BASE}
ARG VERSION=0.1.0
ARG REVISION=
LABEL org.opencontainers.image.title="payments-sandbox" \
      org.opencontainers.image.description="A sandbox of the Unified Payments and Team Management Service" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

# The image runs node alone: what installs packages is of no use there, and the first thing that scanners report.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn-* /root/.npm \
    && rm -f /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg

COPY --from=build /app /app
# Scenario files in /scenarios are all read; of /seeds the one that SANDBOX_SEED_FILE names, none when it names none.
RUN mkdir /scenarios /seeds /data /app/.compile-cache && chown 1000:1000 /data /app/.compile-cache \
    && chmod +x /app/bin/payments-sandbox.cjs && ln -s /app/bin/payments-sandbox.cjs /usr/local/bin/payments-sandbox

ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/app/.compile-cache \
    SANDBOX_HOST=0.0.0.0 \
    SANDBOX_IN_CONTAINER=on \
    SANDBOX_SCENARIOS=/scenarios
# By number, so that Kubernetes can see that it is not root.
USER 1000:1000
WORKDIR /data

# A first start leaves V8's compile cache for all later ones, whose file system may be read-only. Builders that have the network
# of their machine may meet a sandbox of its own at the usual port.
RUN export SANDBOX_PORT=18080; node /app/bin/payments-sandbox.cjs start & \
    until node /app/bin/payments-sandbox.cjs healthcheck; do kill -0 $! && sleep 0.1 || exit 1; done; \
    kill $! && wait $!

EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --retries=3 --start-period=10s \
    CMD ["node", "/app/bin/payments-sandbox.cjs", "healthcheck"]
ENTRYPOINT ["node", "/app/bin/payments-sandbox.cjs"]
CMD ["start"]
