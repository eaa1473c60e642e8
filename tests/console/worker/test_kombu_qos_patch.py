"""What a broker that does not answer costs a worker: time, never a part of its prefetch count."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kombu import Connection, Message, Queue
from redis.exceptions import TimeoutError as NoAnswer

from console.embedded.folder import DataFolder
from console.embedded.services.valkey import Valkey
from console.worker.kombu_qos_patch import patch_kombu_qos


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    folder = DataFolder(tmp_path)
    folder.prepare()
    broker = Valkey(folder, os.environ)
    broker.start()
    yield broker
    broker.child.ask_to_stop()
    broker.child.wait(lambda: False)


@contextmanager
def frozen(valkey: Valkey) -> Iterator[None]:
    pid = valkey.child.pid
    assert pid, "the broker does not run"
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("end", [Message.ack, Message.reject, Message.requeue])
def test_an_acknowledgement_that_a_frozen_broker_did_not_take_uses_up_no_prefetch_count(
    valkey: Valkey, end: Callable[[Message], None]
) -> None:
    patch_kombu_qos()
    url = f"redis+socket://{valkey.socket}"
    with Connection(url, transport_options={"socket_timeout": 1, "retry_on_timeout": False}) as broker:
        channel = broker.channel()
        queue = Queue("notifications")(channel)
        queue.declare()
        channel.basic_qos(0, 1, False)
        broker.Producer(channel).publish({"task": 1}, routing_key="notifications")
        message = queue.get()
        assert not channel.qos.can_consume()

        with frozen(valkey), pytest.raises(NoAnswer):
            end(message)

        assert channel.qos.can_consume()
