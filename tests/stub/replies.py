"""What the stub's model says: a pure function of the request's body, shaped by its reply schema."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence

Body = Mapping[str, object]
Rule = Callable[[Body], Mapping[str, object]]


def digest(body: Body) -> str:
    """The content address of a request, as the stub counts it."""
    text = json.dumps(body, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def draw(*parts: object) -> float:
    """A number in [0, 1) that only `parts` decide."""
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big") / 2**56


def verdict(body: Body) -> Mapping[str, object]:
    """The default rule: an object of the request's schema, else a pairwise verdict."""
    schema = _schema_of(body)
    seed = digest(body)
    if schema is not None:
        value = sample(schema, seed, schema)
        if isinstance(value, Mapping):
            return value
    return {
        "reasoning": f"Stub reasoning {seed}.",
        "winner": ("A", "B", "tie")[int(draw(seed, "winner") * 3)],
        "confidence": round(draw(seed, "confidence"), 2),
    }


def always_a(body: Body) -> Mapping[str, object]:
    """A judge that always prefers the first shown: full position bias."""
    return {**verdict(body), "winner": "A", "confidence": 0.9}


RULES: Mapping[str, Rule] = {"verdict": verdict, "always_a": always_a}


def sample(schema: Mapping[str, object], seed: str, root: Mapping[str, object], path: str = "") -> object:
    """A value that fits a JSON schema (the subset that judges use), decided by `seed` and `path`."""
    schema = _resolve(schema, root)
    if "const" in schema:
        return schema["const"]
    if isinstance(options := schema.get("enum"), Sequence) and not isinstance(options, str):
        return options[int(draw(seed, path) * len(options))]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return _sample_object(schema, seed, root, path)
    if kind == "array":
        items = schema.get("items")
        count = max(int(schema.get("minItems", 0)), min(2, int(schema.get("maxItems", 2))))
        shape = items if isinstance(items, Mapping) else {"type": "string"}
        return [sample(shape, seed, root, f"{path}/{index}") for index in range(count)]
    return _sample_scalar(kind, schema, draw(seed, path), path)


def _sample_object(
    schema: Mapping[str, object], seed: str, root: Mapping[str, object], path: str
) -> Mapping[str, object]:
    properties = schema.get("properties")
    shapes = properties if isinstance(properties, Mapping) else {}
    return {name: sample(shape, seed, root, f"{path}/{name}") for name, shape in shapes.items()}


def _sample_scalar(kind: object, schema: Mapping[str, object], u: float, path: str) -> object:
    low = float(str(schema.get("minimum", schema.get("exclusiveMinimum", 0))))
    high = float(str(schema.get("maximum", schema.get("exclusiveMaximum", max(low, 1.0)))))
    match kind:
        case "integer":
            return int(low) + int(u * (int(high) - int(low) + 1))
        case "number":
            return round(low + u * (high - low), 2)
        case "boolean":
            return u < 0.5
        case "null":
            return None
        case _:
            return f"Stub text for {path.rsplit('/', 1)[-1] or 'reply'} {u:.6f}."


def _resolve(schema: Mapping[str, object], root: Mapping[str, object]) -> Mapping[str, object]:
    while "$ref" in schema:
        target: object = root
        for part in str(schema["$ref"]).removeprefix("#/").split("/"):
            target = target[part] if isinstance(target, Mapping) else {}
        schema = target if isinstance(target, Mapping) else {}
    for name in ("anyOf", "oneOf", "allOf"):
        options = schema.get(name)
        if isinstance(options, list) and options and isinstance(options[0], Mapping):
            return _resolve(options[0], root)
    return schema


def _schema_of(body: Body) -> Mapping[str, object] | None:
    wanted = body.get("response_format")
    inner = wanted.get("json_schema") if isinstance(wanted, Mapping) else None
    schema = inner.get("schema") if isinstance(inner, Mapping) else None
    return schema if isinstance(schema, Mapping) else None
