# The room in an image: every command of `riverboat`, kernels compiled.  `make image-check` tries it.

FROM python:3.11-slim-bookworm AS build

# The venv has no pip of its own; the base image's serves it.
RUN python3 -m venv --without-pip /opt/riverboat
WORKDIR /src
# The dependencies first: they change less often than the sources.
COPY pyproject.toml ./
# Extras of pyproject.toml to install, with blanks between them: `cluster` for tournaments on many machines.
ARG EXTRAS=""
RUN python3 -c "import sys, tomllib; p = tomllib.load(open('pyproject.toml', 'rb'))['project']; print(*p['dependencies'], *(each for extra in sys.argv[1].split() for each in p['optional-dependencies'][extra]), sep='\n')" "$EXTRAS" \
        > /tmp/requirements.txt \
    && python3 -m pip --python /opt/riverboat/bin/python3 install --no-cache-dir -r /tmp/requirements.txt \
    && find /opt/riverboat -type d -name tests -prune -exec rm -rf {} +
COPY README.md LICENSE ./
COPY engine ./engine
COPY protocol ./protocol
COPY server ./server
COPY clients ./clients
RUN python3 -m pip --python /opt/riverboat/bin/python3 install --no-cache-dir --no-deps .

# Compiled for any processor of the architecture: numba's cache is keyed by the processor's name, so that an
# image built for the builder's own would compile again wherever else it runs.
ENV NUMBA_CPU_NAME=generic \
    RIVERBOAT_CACHE_DIR=/var/cache/riverboat
# What bots and people ask for, before the flop and in each round, compiles what answers it; so do the bots,
# who are given the time for it on any machine.
ENV PATIENCE="--start-time 900 --response-time 900 --hand-time 900 --match-time 900"
RUN /opt/riverboat/bin/riverboat odds AhKd --json \
    && /opt/riverboat/bin/riverboat odds AhKd QsJh2c --opponents 3 --pot 40 --to-call 10 --json \
    && /opt/riverboat/bin/riverboat odds AhKd QsJh2c5d --json \
    && /opt/riverboat/bin/riverboat odds AhKd QsJh2c5d9s --json \
    && /opt/riverboat/bin/riverboat match limit-3p formula sampling street-learner --hands 3 $PATIENCE --out /tmp/limit \
    && /opt/riverboat/bin/riverboat match nolimit-3p formula sampling street-learner --hands 3 $PATIENCE --out /tmp/nolimit \
    && rm -rf /tmp/limit /tmp/nolimit


FROM python:3.11-slim-bookworm

RUN useradd --uid 10001 --user-group --create-home riverboat \
    && install -d -o riverboat -g riverboat /logs
COPY --from=build /opt/riverboat /opt/riverboat
COPY --from=build --chown=riverboat:riverboat /var/cache/riverboat /var/cache/riverboat
ENV PATH=/opt/riverboat/bin:$PATH \
    LANG=C.UTF-8 \
    NUMBA_CPU_NAME=generic \
    RIVERBOAT_CACHE_DIR=/var/cache/riverboat
USER 10001:10001
WORKDIR /home/riverboat
# Connecting to a seat's port would take the seat: ask the program itself whether it is in order.
HEALTHCHECK --interval=30s --timeout=10s --start-period=10s CMD ["riverboat", "games", "--json"]
CMD ["riverboat", "--help"]
