"""Reads a mapping of YAML key by key; messages name the key, what was expected and what was given."""

from collections.abc import Iterable, Mapping

import yaml

from venire.errors import ConfigError


class _Texts(yaml.BaseLoader):
    """Scalars stay texts: .60 has two decimals, and no is no boolean. A key twice is refused."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[object, object]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = next((key for place, key in enumerate(keys) if key in keys[:place]), None)
        if twice is not None:
            line = node.start_mark.line + 1
            raise ConfigError(f"key {twice!r}: twice in the mapping from line {line}; expected it once")
        return super().construct_mapping(node, deep)


def read_yaml(text: str, where: str) -> object:
    """The tree of `text` with texts as its leaves.

    Raises:
        ConfigError: it is no YAML, or a key occurs twice.
    """
    try:
        return yaml.load(text, Loader=_Texts)  # a BaseLoader: makes texts, lists and mappings alone
    except yaml.YAMLError as error:
        raise ConfigError(f"{where}: expected YAML, got {' '.join(str(error).split())}") from None
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None


class Fields:
    """The keys of one mapping, each to be taken once; `done` refuses what is left."""

    def __init__(self, node: object, where: str) -> None:
        if not isinstance(node, Mapping):
            raise ConfigError(f"{where}: expected a mapping of keys, got {_shown(node)}")
        self.where = where
        self._left: dict[str, object] = {str(key): value for key, value in node.items()}
        self._taken: list[str] = []

    def at(self, key: str) -> str:
        """The key's whole path, for a message."""
        return f"{self.where}.{key}"

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        return key in self._left

    def take(self, key: str) -> object:
        """The key's value, whatever it is; None where it is missing or empty."""
        self._taken.append(key)
        value = self._left.pop(key, None)
        return None if value == "" else value

    def text(self, key: str, default: str | None = None) -> str:
        """The key's text; `default` where it is missing.

        Raises:
            ConfigError: it is no text, or missing without a default.
        """
        value = self.take(key)
        if value is None:
            if default is None:
                raise ConfigError(f"{self.at(key)}: missing; expected a text")
            return default
        if not isinstance(value, str):
            raise ConfigError(f"{self.at(key)}: expected a text, got {_shown(value)}")
        return " ".join(value.split())

    def choice(self, key: str, among: Iterable[str], default: str | None = None) -> str:
        """One of a few words."""
        known = list(among)
        value = self.text(key, default)
        if value not in known:
            raise ConfigError(f"{self.at(key)}: expected one of {', '.join(known)}; got {value!r}")
        return value

    def flag(self, key: str, default: bool | None = None) -> bool | None:
        """`true` or `false`; `default` where it is missing."""
        if not self.has(key):
            self._taken.append(key)
            return default
        return self.choice(key, ("true", "false")) == "true"

    def count(self, key: str, *, least: int = 1) -> int | None:
        """A whole number of at least `least`; None where it is missing."""
        if not self.has(key):
            self._taken.append(key)
            return None
        return whole(self.text(key), self.at(key), least)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, or one alone; empty where it is missing."""
        value = self.take(key)
        if value is None:
            return ()
        items: list[object] = value if isinstance(value, list) else [value]
        texts = [" ".join(item.split()) for item in items if isinstance(item, str) and item]
        if len(texts) < len(items):
            raise ConfigError(f"{self.at(key)}: expected a list of texts, got {_shown(value)}")
        return tuple(texts)

    def mapping(self, key: str) -> dict[str, str]:
        """A mapping of texts to texts; empty where it is missing."""
        value = self.take(key)
        if value is None:
            return {}
        if not isinstance(value, Mapping) or not all(isinstance(item, str) for item in value.values()):
            raise ConfigError(f"{self.at(key)}: expected a mapping of names to texts, got {_shown(value)}")
        return {str(name): " ".join(item.split()) for name, item in value.items()}

    def done(self) -> None:
        """Refuse keys that nobody took.

        Raises:
            ConfigError: there are some.
        """
        if self._left:
            known = ", ".join(sorted(set(self._taken)))
            raise ConfigError(f"{self.at(sorted(self._left)[0])}: unknown key; expected some of {known}")


def whole(text: str, where: str, least: int = 1) -> int:
    """The whole number that `text` is, at least `least`.

    Raises:
        ConfigError: it is none.
    """
    plain = text.replace(",", "")
    if not plain.isascii() or not plain.isdigit() or int(plain) < least:
        raise ConfigError(f"{where}: expected a whole number of at least {least}, got {text!r}")
    return int(plain)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
