"""The workflow's configuration: checked against its schema, with the schema's defaults for what is missing."""

import difflib
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from repro.errors import InputError


def complete(config: dict[str, Any], schema_path: str | Path) -> dict[str, Any]:
    """The configuration with defaults filled in.

    Raises InputError for the first key that the schema does not know, naming the nearest that it does, and for the
    first value that it does not allow; or for two experiments of one name in one system.
    """
    schema = yaml.safe_load(Path(schema_path).read_text())
    completed: dict[str, Any] = deepcopy(config)
    error = next(_with_defaults(schema).iter_errors(completed), None)
    if error is not None:
        raise InputError(f"configuration: {_explain(error)}")
    for system, part in completed.items():
        names = [entry["name"] for entry in part.get("experiments", ())] if isinstance(part, dict) else []
        if twice := [name for name, times in Counter(names).items() if times > 1]:
            raise InputError(f"configuration: {system}: two experiments are called '{twice[0]}'; rename one of them")
    return completed


def _with_defaults(schema: dict[str, Any]) -> Any:
    """A validator that also fills in the defaults of missing properties (the recipe of jsonschema's documentation)."""
    base = jsonschema.Draft202012Validator
    check_properties = base.VALIDATORS["properties"]

    def fill_and_check(validator: Any, properties: Any, instance: Any, schema: Any) -> Iterator[Any]:
        if isinstance(instance, dict):
            for name, subschema in properties.items():
                if "default" in subschema:
                    instance.setdefault(name, deepcopy(subschema["default"]))
        yield from check_properties(validator, properties, instance, schema)

    return jsonschema.validators.extend(base, {"properties": fill_and_check})(schema)


def _explain(error: Any) -> str:
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path).lstrip(".")
    if error.validator == "additionalProperties" and error.validator_value is False:
        known = list(error.schema["properties"])
        unknown = next(str(name) for name in error.instance if name not in known)
        nearest = difflib.get_close_matches(unknown, known, n=1, cutoff=0.0)[0]
        place = f"{where}: " if where else ""
        return f"{place}unknown key '{unknown}'; did you mean '{nearest}'? (known: {', '.join(known)})"
    if error.validator == "required":
        missing = next(name for name in error.validator_value if name not in error.instance)
        return f"{where or 'the file'}: the key '{missing}' is missing"
    if error.validator == "pattern":
        return f"{where}: '{error.instance}' is not of the form: {error.schema['description']}"
    return f"{where}: {error.message}"
