"""What a variant is: one small kernel plus its host loop, under the paper's own name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from repro.errors import InputError


@dataclass(frozen=True)
class Setting:
    """One integer parameter of a variant: its default and the range it may take (both ends included), in steps."""

    default: int
    low: int
    high: int
    summary: str
    step: int = 1


@dataclass(frozen=True)
class Variant:
    """A variant of a paper.

    name: the paper's words as a slug. section: where the paper describes it. summary: a line for `repro variants`.
    run: the host loop; called as run(device, *inputs, **settings). settings: its parameters by name.
    """

    name: str
    section: str
    summary: str
    run: Callable[..., Any]
    settings: Mapping[str, Setting] = field(default_factory=dict)

    def complete(self, given: Mapping[str, int]) -> dict[str, int]:
        """All settings, the given ones over the defaults. InputError for an unknown name or an invalid value."""
        for name, value in given.items():
            if name not in self.settings:
                known = ", ".join(self.settings) or "none"
                raise InputError(f"variant {self.name} has no setting '{name}' (it has: {known})")
            setting = self.settings[name]
            if not setting.low <= value <= setting.high:
                steps = f" in steps of {setting.step}" if setting.step > 1 else ""
                allowed = f"{setting.low} to {setting.high}{steps}"
                raise InputError(f"variant {self.name}: {name} = {value} is not within {allowed}")
            if value % setting.step:
                raise InputError(f"variant {self.name}: {name} = {value} is no multiple of {setting.step}")
        return {name: given.get(name, setting.default) for name, setting in self.settings.items()}


def choose(variants: Mapping[str, Variant], name: str) -> Variant:
    """The variant called `name`. Raises InputError that lists the valid names."""
    if name not in variants:
        raise InputError(f"no variant '{name}'; choose one of: {', '.join(variants)}")
    return variants[name]
