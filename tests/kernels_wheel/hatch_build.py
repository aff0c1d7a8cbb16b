"""Compiles the kernels of an installed Riverboat for each level of this architecture, and packs native code.

What was compiled stays in the user's cache, a folder for each level: the next build compiles what changed.
Where the build is isolated, ``RIVERBOAT_PYTHON`` names the interpreter that Riverboat is installed for.
"""

import json
import os
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PYTHON = os.environ.get("RIVERBOAT_PYTHON", sys.executable)
"""The interpreter that Riverboat is installed for."""
ASK = """
import json, sys
from importlib.metadata import version
from numba.core.registry import cpu_target
from engine.kernels._kept import levels_for
host = cpu_target.target_context.codegen().magic_tuple()
print(json.dumps([version("riverboat"), version("numba"), sys.version_info[:2], levels_for(host)]))
"""
FILES = """
from engine.kernels._kept import folder_name, kernels_folder
for path in sorted(kernels_folder().rglob("*.native")):
    if path.parent.name == folder_name(path.parent.name.rpartition("-")[0]):
        print(path)
"""
CACHE = "from engine.support.files.cache import cache_directory; print(cache_directory())"


def run(*words: str, **variables: str) -> str:
    # An isolated build leads its own interpreter to its own packages.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA_"))
    }
    done = subprocess.run(
        [PYTHON, *words], env=environment | variables, check=True, stdout=subprocess.PIPE, text=True, cwd="/"
    )
    return done.stdout


class Metadata(MetadataHookInterface):
    """Says what the kernels are for."""

    def update(self, metadata: dict[str, Any]) -> None:
        riverboat, numba, (major, minor), _ = json.loads(run("-c", ASK))
        metadata["version"] = riverboat
        metadata["dependencies"] = [f"riverboat=={riverboat}", f"numba=={numba}"]
        metadata["requires-python"] = f"=={major}.{minor}.*"


class Kernels(BuildHookInterface[Any]):
    """Compiles the kernels."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        _, _, (major, minor), levels = json.loads(run("-c", ASK))
        if not levels:
            raise SystemExit("kernels: there is no level that this machine's processor is of")
        cache = Path(run("-c", CACHE).strip()) / "levels"
        jobs = "1" if len(levels) > 1 else "2"

        def compiled(level: tuple[str, str, str]) -> dict[str, str]:
            _, name, features = level
            variables = {
                "NUMBA_CPU_NAME": name,
                "NUMBA_CPU_FEATURES": features,
                "RIVERBOAT_CACHE_DIR": str(cache / name),
                "RIVERBOAT_KERNELS": "compile",
            }
            run("-m", "server", "kernels", "--jobs", jobs, **variables)
            files = map(Path, run("-c", FILES, **variables).splitlines())
            return {str(file): f"riverboat_kernels/{name}/{file.parent.name}/{file.name}" for file in files}

        with ThreadPoolExecutor() as side_by_side:
            for files in side_by_side.map(compiled, levels):
                build_data["force_include"] |= files
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"cp{major}{minor}-none-{platform}"
