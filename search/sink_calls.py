"""Calls of a sink's methods, which run in a thread of their own, whatever they raise."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from search.sink import Operation, Refusal, Sink, SinkDown

_Result = TypeVar("_Result")

logger = logging.getLogger(__name__)


class SinkFailed(SinkDown):
    """Raised where a sink raises another exception than `SinkDown`: it is broken, or fails on a document."""


async def write(sink: Sink, operations: Sequence[Operation]) -> Mapping[str, Refusal]:
    """Has a sink write operations, and returns those that it has refused, by their ids.

    Where the sink fails on them they are written one by one, and those that it fails on are refused. A sink
    that fails on each of them is broken: raises SinkDown.
    """
    try:
        return await in_thread(sink.write, operations)
    except SinkFailed:
        refusals: dict[str, Refusal] = {}
        failed = 0
        for operation in operations:
            try:
                refusals.update(await in_thread(sink.write, [operation]))
            except SinkFailed as failure:
                refusals[operation.id] = Refusal(str(failure))
                failed += 1
        if failed == len(operations):
            raise
        return refusals


async def in_thread(function: Callable[..., _Result], *arguments: Any) -> _Result:
    """Returns what a sink's method returns, which runs in another thread.

    Raises SinkDown, and SinkFailed whatever else it raises: what a sink gets wrong may cost no document of
    the store, and no other sink its own.
    """
    try:
        return await asyncio.to_thread(function, *arguments)
    except SinkDown:
        raise
    except Exception as error:
        logger.exception("A sink has failed")
        raise SinkFailed(f"{type(error).__name__}: {error}") from error


@contextlib.asynccontextmanager
async def inside(context: AbstractContextManager[Any]) -> AsyncIterator[None]:
    """Enters and leaves a context of a sink's in another thread. Raises SinkDown as `in_thread`."""
    await in_thread(context.__enter__)
    try:
        yield
    except BaseException as error:
        with contextlib.suppress(SinkDown):
            await in_thread(context.__exit__, type(error), error, error.__traceback__)
        raise
    await in_thread(context.__exit__, None, None, None)
