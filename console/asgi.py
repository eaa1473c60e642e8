"""The web process: HTTP to Django, websockets to Channels."""

from __future__ import annotations

import gc
import logging
import os
import sys
from asyncio import get_running_loop
from importlib import import_module
from threading import Thread
from typing import Any

from asgiref.sync import sync_to_async
from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.http import HttpRequest, HttpResponse

from console.configuration import environment
from console.http import sync_handler
from tenancy.errors import CatalogueError

gc.disable()  # until all is loaded: collections on the way are a tenth of the start (`benchmarks.load_time`)
logging.captureWarnings(True)  # as lines of our form, as all others
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
# A request waits so long, in seconds, whenever another's thread computes, and it does so several times. With the
# default of 0.005 a probe takes three times as long while one tenant reads sessions of 8 MB
# (`benchmarks.work.noisy_neighbour huge_sessions`).
sys.setswitchinterval(0.001)


def _answer_refused_turn(request: HttpRequest, refusal: CatalogueError) -> HttpResponse | None:
    from console.interfaces.failures import answer_busy_page  # needs the apps that `build_application` loads

    return answer_busy_page(request, refusal)


_django = sync_handler.build_application(_answer_refused_turn)

from django.conf import settings  # noqa: E402

from console.http.health import Liveness  # noqa: E402
from console.http.realtime.socket import ReadableOrigin, websocket_urls  # noqa: E402  # needs the apps that the line above loaded
from console.http.release_process_memory import FreedMemory  # noqa: E402
from console.interfaces.error_bodies import ERROR_BODIES  # noqa: E402
from console.interfaces.mcp import endpoint as mcp  # noqa: E402
from console.interfaces.mem0.encoded_paths import EncodedSegments  # noqa: E402
from memories.engine.calibration.background_similarity import warm_up  # noqa: E402
from tenancy.api.bodies.body_limit import BodyLimit  # noqa: E402
from tenancy.api.doubled_slashes import SingleSlashes  # noqa: E402
from tenancy.runtime.background_writer import flush_all_writers  # noqa: E402
from tenancy.runtime.shutdown import install_shutdown_signals  # noqa: E402


def _warm_up() -> None:
    """The first request would pay for loading all views, the first message for the rules that generate skills, the
    first search for the model and for how skills are shown (a second or two each); a thread does it while nobody waits.

    What is loaded by then lasts, so the collector need not look at it: a full collection, of which each long body has
    one, would stop all requests for 0.2 s (`benchmarks.requests.collector_pause`).
    """
    try:
        import_module(settings.ROOT_URLCONF)
        import_module("skills.generation.schedule")
        import_module("skills.catalogue.search_results")
        warm_up()
    finally:
        gc.freeze()
        gc.enable()


Thread(target=_warm_up, name="warm-up", daemon=True).start()


async def handle_lifespan(scope: Any, receive: Any, send: Any) -> None:
    """On shutdown, end streams, fail `/readyz`, and write queued log rows and counts."""
    while True:
        event = await receive()
        if event["type"] == "lifespan.startup":
            install_shutdown_signals(get_running_loop(), environment.read_number("DRAIN_SECONDS", 0, 0, 300))
        if event["type"] == "lifespan.shutdown":
            await sync_to_async(flush_all_writers)()
        await send({"type": f"{event['type']}.complete"})
        if event["type"] == "lifespan.shutdown":
            return


application = ProtocolTypeRouter(
    {
        "lifespan": handle_lifespan,
        "http": Liveness(
            SingleSlashes(
                EncodedSegments(
                    BodyLimit(
                        mcp.McpEndpoint(_django),
                        error_bodies=ERROR_BODIES,
                        after_long=FreedMemory().release_soon,
                    )
                )
            )
        ),
        "websocket": ReadableOrigin(
            AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(websocket_urls)))
        ),
    }
)
