"""Structured logs: a line per event, as text for people or JSON for machines."""

from __future__ import annotations

import logging

import structlog

from app.settings import Settings


def configure(settings: Settings) -> None:
    """Set up structlog for this process."""
    as_text = settings.log_format == "text"
    render: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer(colors=False)
        if as_text
        else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.format_exc_info,
            render,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            getattr(logging, settings.log_level.upper())
        ),
        cache_logger_on_first_use=False,
    )
