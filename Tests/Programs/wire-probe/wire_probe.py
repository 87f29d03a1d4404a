# Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.
"""The other of two that talk to each other; main.swift says what they do."""

import asyncio
import datetime
import signal
import sys

from switchyard_peer import Peer

EPOCH = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)


def describe(value):
    """A value, the same each time."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {describe(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(describe, value)) + "]"
    if isinstance(value, datetime.datetime):
        return f"date({(value - EPOCH).total_seconds()})"
    return repr(value)


def post_samples(peer):
    info = {
        "yes": True, "no": False, "int": -5, "big": 2**64 - 1, "double": 2.5, "text": "Größe 🚉",
        "data": b"\xca\xfe", "date": EPOCH + datetime.timedelta(days=1, seconds=0.25),
        "array": [1, "two", [3.0]], "empty": {},
    }  # fmt: skip
    peer.post("Sample", "text", info)
    peer.post("Other")
    peer.post("Added", message={"format": "RTF", "count": 3})
    peer.post("Added", user_info={"format": "HTML", "count": 4})
    peer.post("Sample", data=b"\xca\xfe")
    peer.post("Sample", "", immediately=True)
    peer.post("Enough")


def hear(note):
    print(note.number, note.name, repr(note.object), "from", note.sender.name, note.is_immediate)
    print("  " + describe(note.user_info))


async def main(what, domain):
    ended = asyncio.Event()
    async with Peer(domain, name="python") as peer:
        if what == "answer":
            peer.observe(lambda note: post_samples(peer), "Here")
            peer.observe(lambda note: ended.set(), "Goodbye")
        else:
            peer.observe(hear, "Sample")
            peer.observe(hear, "Added")
            peer.observe(lambda note: ended.set(), "Enough")
        print("ready", len(await peer.ready(within=60)), flush=True)
        if what == "ask":
            peer.post("Here")
        await ended.wait()
        if what == "ask":
            peer.post("Goodbye")


# Should the other say nothing, it ends all the same.
signal.alarm(100)
asyncio.run(main(*sys.argv[1:]))
