"""The one place that configures numba: the ``kernel`` decorator, and what is compiled of a kernel.

Most kernels are called by kernels only.  Of these numba makes what callers take in, LLVM's intermediate
code, and neither machine code nor a wrapper that takes apart Python's arguments.  Only of a kernel that
Python calls is native code made, from its own and its callees' intermediate code, which is optimised there,
once.  That takes two fifths off the time of compiling.  Both are kept on disk (`engine.kernels._kept`).

numba imports scipy and yaml if they are installed, to check a version and to look for a file of settings:
0.1 s and 0.02 s.  No kernel here needs either, so they are hidden while numba is being imported.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import pickle
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final, ParamSpec, TypeVar, cast

import numpy as np

from engine.kernels._kept import LEVELS, Kept, lock, module_name, notice, say_once

P = ParamSpec("P")
R = TypeVar("R")


def _require(variable: str, pattern: str, expected: str) -> None:
    """Leave a variable out, in a line, with whose value numba or LLVM would end the process."""
    if variable in os.environ and re.fullmatch(pattern, os.environ[variable]) is None:
        say_once(f"{variable}={os.environ.pop(variable)!r}: expected {expected}; not used")


_require("NUMBA_NUM_THREADS", "0*[1-9][0-9]*", "a whole number above 0")
_require("NUMBA_CPU_FEATURES", "([+-][^,]*)?(,([+-][^,]*)?)*", "+FEATURE,-FEATURE")
_FEATURES: Final = os.environ.get("NUMBA_CPU_FEATURES")
_LEAST: Final = {"+64bit", "+cx8", "+sse2"}
"""Features of all x86-64 processors; LLVM takes one it does not know for an older one."""
if _FEATURES is not None and "x86-64-v2" in LEVELS:
    os.environ["NUMBA_CPU_FEATURES"] = ",".join([_FEATURES, *sorted(_LEAST - set(_FEATURES.split(",")))])

_HIDDEN: Final = {"scipy", "yaml"} - sys.modules.keys()
sys.modules.update(dict.fromkeys(_HIDDEN, cast("ModuleType", None)))  # to import one would fail
try:
    with warnings.catch_warnings(record=True) as _warned:  # of other variables
        import numba
    from numba.core.caching import NullCache
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import CompileResult
    from numba.core.runtime import rtsys
    from numba.core.serialize import dumps
finally:
    for _name in _HIDDEN:
        del sys.modules[_name]
for _warning in _warned:
    say_once(str(_warning.message).partition("\n")[0])

integer: Final = cast("Callable[[object], int]", np.int64)
"""``np.int64`` inside a kernel, where numba knows no other integer that is safe to mix; an int to a type
checker.
"""


class _CodeForCallers(JITCodeLibrary):  # type: ignore[misc]  # numba ships no types
    """A kernel's intermediate code, each function simplified by itself; nothing that could be called."""

    def _optimize_final_module(self) -> None:
        """Leaves that to those who take the code in."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0


class _NativeCode(JITCodeLibrary):  # type: ignore[misc]
    """A kernel's native code and its names, to be kept without the intermediate code it was made of."""

    def reduced(self) -> tuple[str, bytes, list[str]]:
        module = self._final_module
        symbols = [
            each.name for each in (*module.functions, *module.global_variables) if not each.is_declaration
        ]
        return self.name, self._get_compiled_object(), symbols

    @classmethod
    def _unserialize(cls, codegen: Any, state: tuple[str, bytes, list[str]]) -> _NativeCode:
        name, code, symbols = state
        self = cls(codegen, name)
        self.enable_object_caching()
        self._set_compiled_object(code)
        self._finalize_final_module()
        codegen._engine._defined_symbols.update(symbols)
        return self


@contextlib.contextmanager
def _making(codegen: Any, library: type[JITCodeLibrary]) -> Iterator[None]:
    """A context in which numba makes and reads libraries of one kind."""
    before = {name: codegen.__dict__.get(name) for name in ("_library_class", "set_env")}
    codegen._library_class = library
    if library is _CodeForCallers:
        codegen.set_env = lambda name, environment: None  # nothing is loaded that it could be set in
    else:
        codegen.__dict__.pop("set_env", None)
    try:
        yield
    finally:
        for name, value in before.items():
            codegen.__dict__.pop(name, None)
            if value is not None:
                codegen.__dict__[name] = value


class _Cache(NullCache):  # type: ignore[misc]
    """Keeps what is compiled of a kernel, for numba's dispatchers; says when something is to be compiled."""

    def __init__(
        self, function: Callable[..., Any], library: type[JITCodeLibrary], prepare: Callable[[], None] | None
    ) -> None:
        self._function = function
        self._library = library
        self._prepare = prepare

    def _kept(self, signature: object, codegen: Any) -> Kept:
        code = self._function.__code__
        cells = tuple(cell.cell_contents for cell in self._function.__closure__ or ())
        purpose = repr((str(signature), code.co_firstlineno, code.co_code, cells and dumps(cells)))
        kind = "native" if self._library is _NativeCode else "callee"
        name = self._function.__qualname__.replace("<locals>.", "")
        return Kept(module_name(Path(code.co_filename)), name, kind, purpose, codegen.magic_tuple())

    def load_overload(self, sig: object, target_context: Any) -> object:
        # Code that makes arrays must find the runtime.  All else that numba knows is fetched by its compiler,
        # in 80 ms, when something is to be compiled.
        rtsys.initialize(target_context)
        kept = self._kept(sig, target_context.codegen())
        loaded = self._load(kept, target_context)
        if loaded is None:
            notice.begin(kept.module)
            lock.take(kept.name)  # until `save_overload`
            loaded = self._load(kept, target_context)  # saved by the process we waited for
            if loaded is not None:
                lock.give_back()
            elif self._prepare is not None:
                self._prepare()
        return loaded

    def _load(self, kept: Kept, context: Any) -> object:
        data = kept.read()
        if data is None:
            return None
        with _making(context.codegen(), self._library):
            return CompileResult._rebuild(context, *pickle.loads(data))

    def save_overload(self, sig: object, data: Any) -> None:
        if not (data.lifted or data.library.has_dynamic_globals):
            library = data.library
            code = library.reduced() if self._library is _NativeCode else library.serialize_using_bitcode()
            data.fndesc.typemap = data.fndesc.calltypes = None  # as numba does
            environments = tuple(data._find_referenced_environments())
            self._kept(sig, data.codegen).write(
                dumps((
                    code, data.fndesc, data.environment, data.signature, data.objectmode, data.lifted, "",
                    data.reload_init, environments,
                ))
            )  # fmt: skip
        lock.give_back()
        notice.finished_one()


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
        options = {"nogil": nogil, "error_model": "numpy", "_nrt": allocates, "forceinline": inlined}
        dispatcher: Any = numba.njit(**options)(function)

        @functools.cache  # most are never compiled in this process
        def callee() -> Any:
            made: Any = numba.njit(**options, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
            for_callers = made._compiler.compile

            def compile_for_callers(arguments: Any, result: Any) -> Any:
                with _making(made.targetctx.codegen(), _CodeForCallers):
                    return for_callers(arguments, result)

            made._compiler.compile = compile_for_callers
            return kept(made, _CodeForCallers, prepare)

        def kept(made: Any, library: type[JITCodeLibrary], prepare: Callable[[], None] | None) -> Any:
            made._cache = _Cache(function, library, prepare)
            made.compile = lock.given_back_on_failure()(made.compile)
            return made

        # What numba asks for when a kernel calls it.
        dispatcher.get_call_template = lambda *types: callee().get_call_template(*types)
        dispatcher.get_overload = lambda signature: callee().get_overload(signature)
        dispatcher._compiler.compile = functools.partial(_compile_natively, callee, nogil)
        return kept(dispatcher, _NativeCode, None)

    return decorate


def _compile_natively(
    for_callers: Callable[[], Any], nogil: bool, arguments: tuple[Any, ...], result: Any
) -> Any:
    """Make native code of a kernel's intermediate code, with a wrapper for calls from Python."""
    callee = for_callers()
    context = callee.targetctx
    with _uncollected(), _making(context.codegen(), _NativeCode):
        callee.compile(arguments)
        context.refresh()  # where the callee was loaded, nothing has fetched what wrappers are made with
        made = callee.overloads[tuple(arguments)]
        library = context.codegen().create_library(callee.py_func.__qualname__)
        library.enable_object_caching()
        library.add_linking_library(made.library)
        described = made.fndesc, made.environment
        context.create_cpython_wrapper(library, *described, made.call_helper, release_gil=nogil)
        entry_point = context.get_executable(library, *described)
        native = made._replace(library=library, entry_point=entry_point, metadata={})
        for environment in native._find_referenced_environments():
            library.codegen.set_env(environment.env_name, environment)
    return native


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """A context without the collection of garbage, which takes a tenth of the time of compiling."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


TABLE: Final = numba.types.Array(numba.types.uint16, 1, "C", readonly=True)
CARDS: Final = numba.types.uint8[::1]
FLOATS: Final = numba.types.float64[::1]
FLOAT_MATRIX: Final = numba.types.float64[:, ::1]
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
    return caller
