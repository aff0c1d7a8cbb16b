"""The one place that configures numba: the ``kernel`` decorator and where compiled code is kept.

A kernel is compiled once per machine.  Its object code lies in the user's cache directory
(`engine.support.files.cache`) ::

    kernels/<module>-<hash of its source, of the modules of `engine` it imports, and of numba's version>/

numba's own cache notices an edit only in the file in which a kernel stands; a caller in another file would
go on running stale code.  Here an edit opens a new folder for each module that it reaches, so callers cannot
go stale; a process that compiles removes the folders of former versions, but for the latest ones.  A folder
that cannot be written is still read (an image may carry it); one that cannot be read costs the compilation,
nothing else.

numba imports scipy twice if it is installed: to check its version and to look for BLAS, 0.2 s in all.  No
kernel here uses linear algebra, so scipy is hidden from numba while it is being imported, and from nobody
else.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import os
import pickle
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, Final, ParamSpec, TypeVar, cast

import numpy as np

from engine.support.files.cache import cache_directory

P = ParamSpec("P")
R = TypeVar("R")


class _NoScipy:
    """A finder that denies scipy to one thread."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name.partition(".")[0] == "scipy" and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"No module named {name!r} (hidden from numba)", name=name)
        return None


@contextlib.contextmanager
def _scipy_hidden() -> Iterator[None]:
    finder = _NoScipy()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


with _scipy_hidden():
    import numba

    # Looks for BLAS on import, which would otherwise happen at the first call of a kernel.
    import numba.np.arraymath
    from numba.core.caching import CompileResultCacheImpl, FunctionCache
    from numba.core.runtime import rtsys

integer: Final = cast("Callable[[object], int]", np.int64)
"""``np.int64`` inside a kernel, where numba knows no other integer that is safe to mix; an int to a type
checker.
"""


_PACKAGE: Final = "engine.kernels"
_FOLDER: Final = Path(__file__).parent


def module_name(file: Path) -> str:
    """The name of a kernel module within this package: ``cards.ranking``.

    A kernel that stands elsewhere, as in a test, goes by the name of its file.
    """
    with contextlib.suppress(ValueError):
        return ".".join(file.relative_to(_FOLDER).with_suffix("").parts)
    return file.stem


def _file_of(module: str, engine: Path) -> Path:
    """The file of a module of `engine`, given by its full name."""
    return engine.joinpath(*module.split(".")[1:]).with_suffix(".py")


@functools.cache
def _source_and_imports(file: Path, engine: Path) -> tuple[bytes, frozenset[str]]:
    """A module's source, and the modules of `engine` it imports."""
    # From the bytecode, which Python keeps: to parse thirty modules takes a quarter of a second.
    code = SourceFileLoader(file.stem, str(file)).get_code(file.stem)
    imported = set()
    for name, inner in _imported(code):
        if _file_of(name, engine).exists():
            imported.add(name)
        else:  # a package
            inside = (f"{name}.{part}" for part in inner)
            imported.update(module for module in inside if _file_of(module, engine).exists())
    return file.read_bytes(), frozenset(imported)


def _imported(code: CodeType | None) -> Iterator[tuple[str, frozenset[str]]]:
    """Imports of `engine` in some code: dotted names, each with all names it may import from there."""
    if code is None:
        return
    inner: set[str] = set()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _imported(constant)
        elif isinstance(constant, tuple):  # the names behind "from ... import" are such a constant
            inner.update(part for part in constant if isinstance(part, str))
    for name in code.co_names:
        if name.startswith("engine."):
            yield name, frozenset(inner)


def kernel_modules_of(module: str, folder: Path = _FOLDER) -> dict[str, bytes]:
    """The source of a kernel module and of all modules of `engine` it imports, directly or not, by name.

    Names are dotted, as in ``trials.nodes``; a module that is not a kernel's, whose constants are compiled
    in, has its full name, ``engine.poker.records``.  What is imported inside functions counts as well;
    relative imports are not followed, since this package has none.  A kernel that stands elsewhere has no
    source.
    """
    sources = {"_jit": (folder / "_jit.py").read_bytes()}  # what it imports is not compiled into anything
    upcoming = {f"{_PACKAGE}.{module}"}
    while upcoming:
        name = upcoming.pop()
        short = name.removeprefix(_PACKAGE + ".")
        file = _file_of(name, folder.parent)
        if short not in sources and file.exists():
            sources[short], imported = _source_and_imports(file, folder.parent)
            upcoming |= imported
    return sources


@functools.cache
def folder_name(module: str) -> str:
    """The name of the folder with a module's compiled kernels: changes with whatever they are made of."""
    digest = hashlib.sha256(numba.__version__.encode())
    for name, source in sorted(kernel_modules_of(module).items()):
        digest.update(name.encode() + b"\0" + source)
    return f"{module}-{digest.hexdigest()[:20]}"


class _Locator:
    """Tells numba's cache where a kernel's code lies; has the interface of numba's own locators."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file = file  # numba names it in its warnings
        self._line = function.__code__.co_firstlineno
        self._folder = folder_name(module_name(Path(file)))

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> _Locator:
        return cls(function, file)

    def ensure_cache_path(self) -> None:
        # Compiled code is run when it is loaded: nobody else may write it.
        os.makedirs(self.get_cache_path(), mode=0o700, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(cache_directory() / "kernels" / self._folder)

    def get_source_stamp(self) -> str:
        return self._folder

    def get_disambiguator(self) -> str:
        return str(self._line)


class _CacheImpl(CompileResultCacheImpl):  # type: ignore[misc]  # numba ships no types
    _locator_classes = (_Locator,)


KEPT_FOLDERS: Final = 4
"""As many folders of former versions stay: several versions of the program may be in use."""

_KEPT_SECONDS: Final = 3600.0
"""A folder that was written to within this time stays, too."""


def remove_old_folders(kernels: Path, current: str) -> None:
    """Removes a module's kernels of former versions, but for the latest; a failure to do so is no fault.

    A process that still uses such a folder only has to compile again what it has not loaded yet.

    Args:
        kernels: the folder of the folders.
        current: the name of the one that is in use (`folder_name`).
    """
    module = current.rpartition("-")[0]
    with contextlib.suppress(OSError):
        folders = [
            (entry.stat().st_mtime, entry.path)
            for entry in os.scandir(kernels)
            if entry.is_dir(follow_symlinks=False)
            and entry.name != current
            and re.fullmatch(f"{re.escape(module)}-[0-9a-f]{{20}}", entry.name)
        ]
        for changed, path in sorted(folders)[:-KEPT_FOLDERS]:
            if changed < time.time() - _KEPT_SECONDS:
                shutil.rmtree(path, ignore_errors=True)


_SAY_EVERY_S: Final = 2.0


class _Notice:
    """A process's lines on stderr while it compiles: that it does, and now and then how far it is."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._modules: set[str] = set()
        self._compiled = 0
        self._began = self._said = 0.0

    def begin(self, module: str) -> None:
        """A kernel of a module is to be compiled; the time to clear away what former versions compiled."""
        with self._lock:
            if module in self._modules:
                return
            is_first = not self._modules
            self._modules.add(module)
        remove_old_folders(cache_directory() / "kernels", folder_name(module))
        if is_first:
            self._began = self._said = time.monotonic()
            _say("compiling kernels for this machine, once; this takes some seconds")

    def finished_one(self) -> None:
        """A kernel has been compiled."""
        with self._lock:
            self._compiled += 1
            now = time.monotonic()
            if now - self._said < _SAY_EVERY_S:
                return
            self._said = now
        _say(f"compiling kernels: {self._compiled} so far, {now - self._began:.0f} s")


def _say(text: str) -> None:
    print(f"riverboat: {text}", file=sys.stderr, flush=True)


_notice: Final = _Notice()


class _CompilationLock:
    """Lets one process at a time compile a kernel; the others wait and then load what it has kept.

    Ten bots that start together with an empty cache would otherwise all compile the same.  Where no lock
    can be had, as in a folder that cannot be written, everybody compiles.  A kernel that calls others
    compiles them meanwhile, so several may be held; none calls itself by way of another, so nobody waits in
    a circle.  Each kernel's lock is a byte of one file, at a place that follows from its name.
    """

    def __init__(self) -> None:
        self._held: list[int] = []
        self._file: int | None = None

    @contextlib.contextmanager
    def given_back_on_failure(self) -> Iterator[None]:
        """Give back the lock of a compilation that fails: nobody will save its result."""
        held = len(self._held)
        try:
            yield
        except BaseException:
            while len(self._held) > held:
                self.give_back()
            raise

    def take(self, kernel_name: str) -> None:
        """Waits until no other process compiles the kernel."""
        place = int.from_bytes(hashlib.sha256(kernel_name.encode()).digest()[:7], "big")
        self._held.append(place)
        with contextlib.suppress(OSError):
            if self._file is None:
                cache_directory().mkdir(parents=True, exist_ok=True)
                self._file = os.open(cache_directory() / "compiling.lock", os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.lockf(self._file, fcntl.LOCK_EX, 1, place)

    def give_back(self) -> None:
        """Lets go of what was taken last."""
        place = self._held.pop()
        if self._file is None:
            return
        if self._held:
            if place not in self._held:  # or it is being compiled for other types as well
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, place)
        else:
            os.close(self._file)
            self._file = None


_compilation: Final = _CompilationLock()


class _Cache(FunctionCache):  # type: ignore[misc]  # numba ships no types
    """numba's cache in our folder: says when something is to be compiled, and never fails for want of a
    disk.
    """

    _impl_class = _CacheImpl

    def __init__(self, function: Callable[..., Any], prepare: Callable[[], None] | None) -> None:
        super().__init__(function)
        self._module = module_name(Path(function.__code__.co_filename))
        self._kernel = f"{folder_name(self._module)}.{function.__qualname__}"
        self._prepare = prepare

    def load_overload(self, sig: object, target_context: object) -> object:
        loaded = self._load(sig, target_context)
        if loaded is not None:
            return loaded
        _notice.begin(self._module)
        _compilation.take(self._kernel)  # until `save_overload`
        loaded = self._load(sig, target_context)  # saved by the process we waited for
        if loaded is not None:
            _compilation.give_back()
        elif self._prepare is not None:
            self._prepare()
        return loaded

    def _load(self, sig: object, target_context: object) -> object:
        # numba's own `load_overload` first fetches all it knows how to compile, 80 ms, in vain where nothing
        # is to be compiled; when something is, its compiler does the same.  Code that makes arrays must
        # find the runtime, though.
        rtsys.initialize(target_context)
        try:
            return self._load_overload(sig, target_context)
        except (OSError, EOFError, pickle.UnpicklingError):
            return None

    def save_overload(self, sig: object, data: object) -> None:
        with contextlib.suppress(OSError):  # a read-only or full disk: the next process compiles again
            super().save_overload(sig, data)
        _compilation.give_back()
        _notice.finished_one()


def kernel(
    *,
    prepare: Callable[[], None] | None = None,
    nogil: bool = True,
    allocates: bool = True,
    inlined: bool = False,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorates a function that numba is to compile at its first call, and to keep on disk.

    The result is a numba dispatcher; to a type checker it is the function that was decorated.  The function
    itself is its ``py_func``.  Kernels do not check divisors.

    Args:
        prepare: called before the kernel is compiled, not when it is loaded from disk: sets the module's
            globals that are to be embedded as constants.
        nogil: let other threads run meanwhile; takes 80 ns, more than some kernels.
        allocates: False for a kernel that makes no arrays.  numba then does not count the references to those
            it looks at, an atomic operation for every slice and every array in a tuple that is handed on: two
            fifths of the time of a trial.  If it makes one all the same, it does not compile.
        inlined: put into its callers whatever its size, so that their loops over it become vector code.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        if numba.config.DISABLE_JIT:  # the environment variable NUMBA_DISABLE_JIT
            if prepare is not None:
                prepare()
            return function
        # `_nrt`: numba's runtime, which allocates and counts.
        dispatcher: Any = numba.njit(nogil=nogil, error_model="numpy", _nrt=allocates, forceinline=inlined)(
            function
        )
        # As numba's `cache=True` does, with our folder instead of numba's choice of folders.
        dispatcher._cache = _Cache(function, prepare)
        dispatcher.compile = _compilation.given_back_on_failure()(dispatcher.compile)
        compiled: Callable[P, R] = dispatcher
        return compiled

    return decorate


TABLE: Final = numba.types.Array(numba.types.uint16, 1, "C", readonly=True)
CARDS: Final = numba.types.uint8[::1]
CARD_MATRIX: Final = numba.types.uint8[:, ::1]
FLOATS: Final = numba.types.float64[::1]
FLOAT_MATRIX: Final = numba.types.float64[:, ::1]
FLOAT_CUBE: Final = numba.types.float64[:, :, ::1]
FLOAT: Final = numba.types.float64
INT: Final = numba.types.int64
INTS: Final = numba.types.int64[::1]
INT_MATRIX: Final = numba.types.int64[:, ::1]
INT32_MATRIX: Final = numba.types.int32[:, ::1]
FLOAT32_MATRIX: Final = numba.types.float32[:, ::1]
"""Types of arguments for `entry`."""


def record_of(kind: type[tuple[Any, ...]], *fields: Any) -> Any:
    """The type of a named tuple for `entry`, from the types of its fields."""
    return numba.types.NamedTuple(list(fields), kind)


def entry(function: Callable[P, R], *argument_types: Any) -> Callable[P, R]:
    """A kernel as Python calls it, compiled at the first call, for one signature only.

    What a call costs beside the kernel itself matters where the kernel takes a microsecond.  numba's
    dispatcher looks up the types of all arguments; this calls the compiled function directly and halves the
    time (seven ints: 230 ns instead of 500; four arrays and four named tuples: 1.4 µs instead of 3.4).
    Integers of any kind are accepted and converted.  One signature also saves compilations: read-only and
    writable arrays are different types to numba.

    Arrays must be C-contiguous and of the type that was declared: that is not checked.
    """
    if numba.config.DISABLE_JIT:
        return function

    def compile_and_call(*arguments: Any) -> Any:
        dispatcher: Any = function
        dispatcher.compile(argument_types)
        compiled = dispatcher.overloads[argument_types].entry_point
        # From now on `caller`, which is C, passes its arguments on to the compiled function.
        caller.__setstate__((compiled, (), {}, None))
        return compiled(*arguments)

    caller: Any = functools.partial(compile_and_call)
    called: Callable[P, R] = caller
    return called
