"""Compiles the kernels of an installed Riverboat for each level of this architecture, and packs native code.

Where the build is isolated, ``RIVERBOAT_PYTHON`` names the interpreter that Riverboat is installed for.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
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
        self.folder = Path(tempfile.mkdtemp())
        for _, name, features in levels:
            print(f"kernels for {name}", file=sys.stderr)
            run(
                *("-m", "server", "kernels"),
                NUMBA_CPU_NAME=name,
                NUMBA_CPU_FEATURES=features,
                RIVERBOAT_CACHE_DIR=str(self.folder),
                RIVERBOAT_KERNELS="compile",
            )
        kernels = self.folder / "kernels"
        for path in sorted(kernels.rglob("*.native")):
            build_data["force_include"][str(path)] = f"riverboat_kernels/{path.relative_to(kernels)}"
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"cp{major}{minor}-none-{platform}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        shutil.rmtree(self.folder)
