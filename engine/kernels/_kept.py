"""Where compiled kernels are kept: which are read, whom they are believed, and what is said meanwhile.

``sources``     a module's compiled kernels lie in a folder that is named after a hash of all they are made
                of (`folder_name`): an edit opens a new folder for each module that it reaches.  numba's own
                cache notices only edits in the file in which a kernel stands.
``the box``     the package ``riverboat-kernels`` brings such folders along, for several levels of an
                architecture.  Code is run when it is loaded: a file is read only if its hash is the one in
                the list that was installed with it.
``the cache``   the user's own folder (`engine.support.files.cache`), if nobody else can write to it; each
                file begins with a hash of the rest, so that one that was cut short is compiled again.  A
                folder that cannot be written is still read; one that cannot be read costs the compilation.
``the lock``    of processes that start together one compiles a kernel, and the others load it.
``the notice``  a process that compiles says so, and how far it is.
``old ones``    the folders of former versions go, but for the latest.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import functools
import hashlib
import os
import platform
import re
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path
from typing import Final

from engine.support.files import write_whole
from engine.support.files.cache import BOX_VARIABLE, CACHE_VARIABLE, cache_directory, is_taken

# --- sources ------------------------------------------------------------------------------------------------

_PACKAGE: Final = "engine.kernels"
_FOLDER: Final = Path(__file__).parent


def module_name(file: Path) -> str:
    """The name of a kernel's module: ``cards.ranking`` in this package, ``engine.poker.records`` in `engine`.

    A kernel that stands elsewhere, as in a test, goes by the name of its file.
    """
    for folder, prefix in ((_FOLDER, ""), (_FOLDER.parent, "engine.")):
        if file.is_relative_to(folder):
            return prefix + ".".join(file.relative_to(folder).with_suffix("").parts)
    return file.stem


def _file_of(module: str, engine: Path) -> Path:
    """The file of a module of `engine`, given by its full name."""
    return engine.joinpath(*module.split(".")[1:]).with_suffix(".py")


_IMPORT: Final = re.compile(r"^[ \t]*(?:from|import) (engine[\w.]*)(?: import (\([^)]*\)|[^\n#]*))?", re.M)


@functools.cache
def _source_and_imports(file: Path, engine: Path) -> tuple[bytes, frozenset[str]]:
    """A module's source, and the modules of `engine` it imports."""
    source = file.read_bytes()
    named: set[str] = set()
    for package, names in _IMPORT.findall(source.decode()):
        named |= {package, *(f"{package}.{name}" for name in re.findall(r"\w+", names))}
    return source, frozenset(name for name in named if _file_of(name, engine).exists())


def kernel_modules_of(module: str, folder: Path = _FOLDER) -> dict[str, bytes]:
    """The source of a kernel module and of all modules of `engine` it imports, directly or not, by name.

    Names are dotted, as in ``trials.nodes``; a module that is not a kernel's, whose constants are compiled
    in, has its full name, ``engine.poker.records``.  What is imported inside functions counts as well;
    relative imports are not followed, since this package has none.  A kernel that stands elsewhere has no
    source.
    """
    sources = {"_jit": (folder / "_jit.py").read_bytes()}  # what it imports is not compiled into anything
    upcoming = {module if module.startswith("engine.") else f"{_PACKAGE}.{module}"}
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
    digest = hashlib.sha256(f"{version('numba')} {sys.implementation.cache_tag}".encode())
    for name, source in sorted(kernel_modules_of(module).items()):
        digest.update(name.encode() + b"\0" + source)
    return f"{module}-{digest.hexdigest()[:20]}"


# --- the box ------------------------------------------------------------------------------------------------

LEVELS: Final = {
    "x86_64": {
        "x86-64-v3": "+avx,+avx2,+bmi,+bmi2,+cmov,+crc32,+cx16,+cx8,+f16c,+fma,+fxsr,+lzcnt,+mmx,+movbe"
        ",+popcnt,+sahf,+sse,+sse2,+sse3,+sse4.1,+sse4.2,+ssse3,+xsave,+64bit",
        "x86-64-v2": "+cmov,+crc32,+cx16,+cx8,+fxsr,+mmx,+popcnt,+sahf,+sse,+sse2,+sse3,+sse4.1,+sse4.2"
        ",+ssse3,+64bit",
    },
    "aarch64": {"generic": "+fp-armv8,+neon"},
}.get(platform.machine(), {})
"""The levels of this architecture for which kernels are brought along, the best first: LLVM's name for such a
processor, and the features it has, as numba is told them (``NUMBA_CPU_FEATURES``).
"""
PACKAGE: Final = "riverboat-kernels"


Target = tuple[str, str, str]
"""What code is for, as numba says it: the system, the processor's name, its features."""


def levels_for(host: Target) -> list[Target]:
    """The levels whose code a processor can run, the best first."""
    found = set(host[2].split(","))
    targets = [(host[0], *level) for level in LEVELS.items()]
    return [target for target in targets if found.issuperset(target[2].split(","))]


@functools.cache
def _box() -> tuple[Path, dict[str, str]]:
    """The folder of installed packages, and the hashes of kernels by path below it, if there are any."""
    if os.environ.get(BOX_VARIABLE) == "compile":
        return Path(), {}
    try:
        installed = distribution(PACKAGE)
    except PackageNotFoundError:
        return Path(), {}
    rows = (line.split(",") for line in (installed.read_text("RECORD") or "").splitlines())
    hashes = {row[0]: row[1].removeprefix("sha256=") for row in rows if row[0].endswith(".native")}
    return Path(str(installed.locate_file(""))), hashes


_HASH_SIZE: Final = hashlib.sha256().digest_size
"""Bytes at the beginning of each file: the hash of the rest."""
_DAMAGED: Final = "{} is not what was written there; this kernel is compiled instead"


def _from_box(name: str) -> bytes | None:
    root, hashes = _box()
    expected = hashes.get(f"riverboat_kernels/{name}")
    if expected is None:
        return None
    data = _read(root / "riverboat_kernels" / name) or b""
    if base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode() == expected:
        return data[_HASH_SIZE:]
    say_once(_DAMAGED.format(root / "riverboat_kernels" / name))
    return None


def inventory(host: Target) -> str:
    """How many kernels were brought along and how many were compiled here, in a line."""
    brought = {name.split("/")[1] for name in _box()[1]}
    level = next((name for _, name, _ in levels_for(host) if name in brought), "another processor")
    compiled = sum(1 for _ in kernels_folder().rglob("*.native")) if _is_ours(kernels_folder()) else 0
    found = (
        f"{len(_box()[1])} in {PACKAGE}, this machine takes those for {level}" if brought else "none brought"
    )
    return f"{found}; {compiled} compiled on this machine, in {kernels_folder()}"


def _read(path: Path) -> bytes | None:
    """The contents of a file; None where nothing is, no bytes where a pipe or a folder is."""
    try:
        return b"" if is_taken(path) else path.read_bytes()
    except OSError:
        return None


# --- the cache ----------------------------------------------------------------------------------------------


def _is_ours(folder: Path) -> bool:
    """Whether nobody but this user (and root) can put anything into a folder that exists."""
    try:
        seen = folder.stat()
    except OSError:
        return True  # nothing will be found in it, either
    if seen.st_uid in (os.geteuid(), 0) and not seen.st_mode & 0o022:
        return True
    say_once(
        f"{folder} is not used, since others can write to it: chown, chmod go-w, or set {CACHE_VARIABLE}"
    )
    return False


def kernels_folder() -> Path:
    """The folder of the user's compiled kernels."""
    return cache_directory() / "kernels"


class Kept:
    """The files of one compiled kernel for one signature: native code, or code for its callers.

    Args:
        module: the kernel's, as in `module_name`.
        name: of the file, without a hash of what it is for.
        kind: ``native``, or ``callee`` for what its callers take in.
        purpose: everything else that the code depends on: signature, closure.
        host: this processor.
    """

    def __init__(self, module: str, name: str, kind: str, purpose: str, host: Target) -> None:
        self.module = module
        folder = folder_name(module)

        def file(target: Target) -> str:
            digest = hashlib.sha256(repr((purpose, target)).encode()).hexdigest()[:20]
            return f"{folder}/{name}-{digest}.{kind}"

        self.name = file(host)
        """Within the folder of kernels."""
        self._boxed = [f"{target[1]}/{file(target)}" for target in levels_for(host)]

    def read(self) -> bytes | None:
        """The code, of the best level, or as it was compiled here before; None if it is to be compiled."""
        for brought in filter(None, map(_from_box, self._boxed)):
            return brought
        if not _is_ours(kernels_folder()):
            return None
        data = _read(kernels_folder() / self.name)
        if data is None or data[:_HASH_SIZE] == hashlib.sha256(data[_HASH_SIZE:]).digest():
            return data and data[_HASH_SIZE:]
        say_once(_DAMAGED.format(kernels_folder() / self.name))
        return None

    def write(self, data: bytes) -> None:
        """Keep the code; where that cannot be done, the next process compiles again."""
        path = kernels_folder() / self.name
        try:
            for folder in (path.parent.parent, path.parent):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _is_ours(kernels_folder()) and not is_taken(path):
                write_whole(path, hashlib.sha256(data).digest() + data, mode=0o600)
        except OSError as error:
            say_once(f"{kernels_folder()}: {error.strerror or error}; every process compiles again")


# --- old ones, the notice, the lock -------------------------------------------------------------------------


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
        names = kernels.glob(f"{module}-{'[0-9a-f]' * 20}")
        folders = [(path.stat().st_mtime, path) for path in names if path.is_dir() and path.name != current]
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
        remove_old_folders(kernels_folder(), folder_name(module))
        if is_first:
            self._began = self._said = time.monotonic()
            others = f" ({PACKAGE} is for another source, numba or processor)" if _box()[1] else ""
            _say(f"compiling kernels for this machine, once; this takes some seconds{others}")

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


say_once: Final = functools.cache(_say)

notice: Final = _Notice()


class CompilationLock:
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
            with contextlib.suppress(OSError):
                if place not in self._held:  # or it is being compiled for other types as well
                    fcntl.lockf(self._file, fcntl.LOCK_UN, 1, place)
        else:
            os.close(self._file)
            self._file = None


lock: Final = CompilationLock()
