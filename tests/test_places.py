"""What a broker that does not answer costs a worker: time, never one of its places."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from kombu import Connection, Queue
from redis.exceptions import TimeoutError as NoAnswer

from console.embedded.folder import DataFolder
from console.embedded.valkey import Valkey
from console.places import lend_places


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    folder = DataFolder(tmp_path)
    folder.prepare()
    broker = Valkey(folder, os.environ)
    broker.start()
    yield broker
    broker.child.ask_to_stop()
    broker.child.wait(lambda: False)


def test_a_task_whose_end_a_frozen_broker_was_not_told_keeps_no_place(valkey: Valkey) -> None:
    lend_places()
    url = f"redis+socket://{valkey.socket}"
    with Connection(url, transport_options={"socket_timeout": 0.3, "retry_on_timeout": False}) as broker:
        channel = broker.channel()
        queue = Queue("bells")(channel)
        queue.declare()
        channel.basic_qos(0, 1, False)
        broker.Producer(channel).publish({"task": 1}, routing_key="bells")
        message = queue.get()
        assert not channel.qos.can_consume()

        os.kill(valkey.child.pid or 0, signal.SIGSTOP)
        try:
            with pytest.raises(NoAnswer):
                message.ack()
        finally:
            os.kill(valkey.child.pid or 0, signal.SIGCONT)

        assert channel.qos.can_consume()
