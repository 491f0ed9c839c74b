"""Results of the last run, kept until the next one has succeeded."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path


def keep(folders: Iterable[str | Path], kept: str | Path) -> None:
    """Copy what is in the folders, of relative path, to `kept`, beside what a run that was killed left there."""
    for folder in folders:
        if Path(folder).exists():
            shutil.copytree(folder, Path(kept, folder), dirs_exist_ok=True)


def bring_back(kept: str | Path) -> None:
    """Put back every file that `keep` copied and that is gone, dated so early that the next run makes it again."""
    for source in Path(kept).rglob("*"):
        target = source.relative_to(kept)
        if source.is_file() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
            os.utime(target, (0, 0))
