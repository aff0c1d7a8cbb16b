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

# Kernels for every level of the architecture, of which the best that the machine has is loaded.
COPY tests/kernels_wheel ./kernels_wheel
RUN RIVERBOAT_PYTHON=/opt/riverboat/bin/python3 python3 -m pip wheel --no-cache-dir --no-deps -w /tmp/wheels ./kernels_wheel \
    && python3 -m pip --python /opt/riverboat/bin/python3 install --no-cache-dir --no-deps /tmp/wheels/*.whl


FROM python:3.11-slim-bookworm

RUN useradd --uid 10001 --user-group --create-home riverboat \
    && install -d -o riverboat -g riverboat /logs /var/cache/riverboat
COPY --from=build /opt/riverboat /opt/riverboat
ENV PATH=/opt/riverboat/bin:$PATH \
    LANG=C.UTF-8 \
    RIVERBOAT_CACHE_DIR=/var/cache/riverboat
USER 10001:10001
WORKDIR /home/riverboat
# Connecting to a seat's port would take the seat: ask the program itself whether it is in order.
HEALTHCHECK --interval=30s --timeout=10s --start-period=10s CMD ["riverboat", "games", "--json"]
CMD ["riverboat", "--help"]
