"""Documents as tables of other packages, which are loaded where they are asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, get_type_hints

from pagelets.document import FIELDS, Document
from pagelets.text.surrogates import replaced

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd
    import pyarrow as pa

_COUNTS: Final = ("chars", "chars_kept", "blocks", "blocks_kept", "pagelets", "pagelets_template")


def to_arrow(documents: Iterable[Document]) -> pa.Table:
    """Returns documents as a table of Arrow: a row a document, a column a field.

    Fields of ours have the same type in every table, also where no document has a value. Surrogates without
    their other half, which Arrow does not have, become U+FFFD. Raises ImportError without ``pyarrow``.

    Examples:
        >>> import pagelets
        >>> page = "<title>Bread</title><p>Flour, water, salt and time."
        >>> table = pagelets.to_arrow([pagelets.extract(page, format="document")])
        >>> table["text"].to_pylist(), table["author"].type
        (['Flour, water, salt and time.'], DataType(string))

    """
    pa = _package("pyarrow", "pagelets.to_arrow")
    kinds = get_type_hints(Document)
    types = {name: pa.string() for name, kind in kinds.items() if kind in (str, str | None)} | arrow_types()
    rows = [*documents]
    return pa.table(
        {name: pa.array([replaced(row.get(name)) for row in rows], types.get(name)) for name in _names(rows)}
    )


def arrow_types() -> dict[str, pa.DataType]:
    """Returns the types of the fields of a Document that are no texts, but for ``pagelets``. Raises
    ImportError without ``pyarrow``.
    """
    pa = _package("pyarrow", "pagelets.to_arrow")
    texts = pa.list_(pa.string())
    return {
        "status": pa.int32(),
        "sections": pa.list_(pa.struct({"heading": texts, "text": pa.string()})),
        "links": pa.list_(pa.struct({"url": pa.string(), "text": pa.string(), "template": pa.bool_()})),
        "stats": pa.struct({**dict.fromkeys(_COUNTS, pa.int64()), "flags": texts}),
        "passages": texts,
    }


def to_pandas(documents: Iterable[Document]) -> pd.DataFrame:
    """Returns documents as a DataFrame of pandas: a row a document, a column a field, values as they are.

    Raises ImportError without ``pandas``.

    Examples:
        >>> import pagelets
        >>> page = "<title>Bread</title><p>Flour, water, salt and time."
        >>> frame = pagelets.to_pandas([pagelets.extract(page, format="document")])
        >>> frame["text"].tolist()
        ['Flour, water, salt and time.']

    """
    pandas = _package("pandas", "pagelets.to_pandas")
    rows = [*documents]
    return pandas.DataFrame([dict(row) for row in rows], columns=_names(rows))


def _package(name: str, asked: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise ModuleNotFoundError(
            f"{asked} needs the package {name}: pip install {name}", name=name
        ) from error


def _names(rows: list[Document]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row)) or list(FIELDS)
