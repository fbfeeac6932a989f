# The base is an argument so that a mirror or a compatible image can replace it. The tag moves with fixes of Debian and
# Node.js; for a reproducible build, pin the digest:
#   docker buildx imagetools inspect node:24-bookworm-slim --format '{{.Manifest.Digest}}'
#   docker build --build-arg BASE=node:24-bookworm-slim@sha256:… .
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# The image runs the same package that npm users install.
RUN npm pack --pack-destination /tmp && mkdir /app && tar -xzf /tmp/payments-sandbox-*.tgz --strip-components=1 -C /app

FROM ${BASE}
ARG VERSION=0.1.0
ARG REVISION=
LABEL org.opencontainers.image.title="payments-sandbox" \
      org.opencontainers.image.description="A sandbox of the Unified Payments and Team Management Service" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

# The image runs only node. Package managers are unused, and scanners report them first.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn-* /root/.npm \
    && rm -f /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg

COPY --from=build /app /app
# Reads all scenario files in /scenarios, and from /seeds only the file that SANDBOX_SEED_FILE names.
RUN mkdir /scenarios /seeds /data /app/.compile-cache && chown 1000:1000 /data /app/.compile-cache \
    && chmod +x /app/bin/payments-sandbox.cjs && ln -s /app/bin/payments-sandbox.cjs /usr/local/bin/payments-sandbox

ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/app/.compile-cache \
    SANDBOX_HOST=0.0.0.0 \
    SANDBOX_IN_CONTAINER=on \
    SANDBOX_SCENARIOS=/scenarios
# By number, so that Kubernetes can verify that the user is not root.
USER 1000:1000
WORKDIR /data

# The first start writes V8's compile cache, because later starts may have a read-only file system. The port is a free one,
# because builders with host networking may find the default port in use.
RUN export SANDBOX_PORT=18080; node /app/bin/payments-sandbox.cjs start & \
    until node /app/bin/payments-sandbox.cjs healthcheck; do kill -0 $! && sleep 0.1 || exit 1; done; \
    kill $! && wait $!

EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --retries=3 --start-period=10s \
    CMD ["node", "/app/bin/payments-sandbox.cjs", "healthcheck"]
ENTRYPOINT ["node", "/app/bin/payments-sandbox.cjs"]
CMD ["start"]
