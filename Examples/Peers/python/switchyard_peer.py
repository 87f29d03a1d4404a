#!/usr/bin/env python3
# Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.
"""A member of Switchyard's mesh in Python: posts to other processes, and hears what they post.

Written from docs/wire-protocol.md alone, with the standard library alone. For Linux, and Python 3.8
or later.

    async with Peer("org.example.converters") as peer:
        peer.observe(lambda note: print(note.user_info["format"]), name="ConverterAdded")
        await peer.ready(within=1)
        peer.post("ConverterAdded", object="text", user_info={"format": "RTF"})

From a shell:

    switchyard_peer.py observe ConverterAdded
    switchyard_peer.py post ConverterAdded --object text --info format=RTF
"""

import argparse
import asyncio
import contextlib
import errno
import json
import os
import socket
import struct
import sys

import switchyard_lines as lines
import switchyard_places as places
import switchyard_wire as wire

MOST_WAITING = 64 * 1024 * 1024  # Bytes that may wait for each other member.
PATIENCE = 10  # Seconds that a member that leaves waits for one that takes nothing.
MOST_UNDECIDED = 4 * 1024 * 1024  # Bytes that are kept until it has said what it wants.

# Connections


class Connection:
    """A connection between two members."""

    def __init__(self, reader, writer, process):
        self.reader, self.writer = reader, writer
        self.process = process
        self.sender = None  # Until HELLO has come.
        # No code here waits for the other end but `drain`, until this time.
        writer.transport.set_write_buffer_limits(MOST_WAITING // 2, MOST_WAITING // 2)

    def write(self, data):
        if not self.writer.is_closing():
            self.writer.write(data)

    async def frames(self):
        """The frames that come, as type and reader, until the stream ends."""
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                length = struct.unpack("<I", await self.reader.readexactly(4))[0]
                limit = wire.LONGEST_FRAME if self.sender else wire.LONGEST_GREETING
                if not 0 < length <= limit:
                    raise wire.ProtocolError(f"a frame of {length} bytes, {limit} are allowed")
                body = wire.Reader(await self.reader.readexactly(length))
                kind = body.number("<B")
                if kind == wire.BYE:
                    raise wire.Goodbye(body.short_text())
                if not self.sender and kind != wire.HELLO:
                    raise wire.ProtocolError(f"a frame of type {kind} before a greeting")
                yield kind, body


class Outlet(Connection):
    """A connection that this member made: here it posts."""

    def __init__(self, *connection):
        super().__init__(*connection)
        self.wanted = set()
        self.undecided = []  # Posts from before the first SYNC; None afterwards.
        self.undecided_bytes = 0
        self.next_number = 1
        self.overflow = None  # The task that ends it.

    def wants(self, name, about):
        if (name, None) in self.wanted or (None, None) in self.wanted:
            return True
        return about is not None and not self.wanted.isdisjoint(((name, about), (None, about)))

    def waiting(self):
        """The number of bytes that have not left this process."""
        undecided = self.undecided_bytes if self.undecided is not None else 0
        return undecided + self.writer.transport.get_write_buffer_size()

    def decide(self):
        """Goes by what is wanted from now on."""
        kept, self.undecided = self.undecided, None
        for post in kept or ():
            self.post(*post)

    def post(self, name, about, notification):
        if self.undecided is not None:
            self.undecided_bytes += len(notification)
            if self.undecided_bytes <= MOST_UNDECIDED:
                self.undecided.append((name, about, notification))
            else:
                self.lose()
        elif self.wants(name, about):
            waiting = self.writer.transport.get_write_buffer_size()
            if self.overflow or (waiting and waiting + len(notification) > MOST_WAITING):
                return self.lose()
            self.write(wire.numbered(notification, self.next_number))
            self.next_number += 1

    def lose(self):
        self.next_number += 1
        if not self.overflow:
            self.overflow = asyncio.ensure_future(self.end_overflow())

    async def end_overflow(self):
        """Tells the other end of its losses once there is room again."""
        with contextlib.suppress(ConnectionError):
            await self.writer.drain()
            self.write(wire.number_frame(wire.LOST, self.next_number))
        self.overflow = None


class Inlet(Connection):
    """A connection that another member made: here it posts, and this one hears."""

    expected = 1
    synced = -1
    has_promised = False
    farewell = None  # The largest number in a FAREWELL.

    def skip_to(self, number):
        """The number of notifications that are missing before this one."""
        missed = number - self.expected
        if missed < 0:
            raise wire.ProtocolError(f"notification {number}, {self.expected} was expected")
        self.expected = number
        return missed


# The member


class Peer:
    """A member of a domain. For one event loop; handlers are called on it, in the order of arrival.

    Unlike Switchyard's center, it does not hear what it posts itself.
    """

    def __init__(self, domain="default", name=None, on_problem=None):
        self.domain = domain
        self.name = name or os.path.basename(sys.argv[0])
        self.id = os.urandom(16)
        self.address = self.id.hex()
        self.hello = wire.Hello(self.id, os.getpid(), self.name, self.address, domain)
        self.on_problem = on_problem or (lambda text: print(text, file=sys.stderr, flush=True))
        self.handlers = []  # (interest, handler)
        self.outlets = {}  # By address.
        self.inlets = set()
        self.tasks = {}  # What keeps a connection, by address or socket.
        self.pauses = {}  # How long to wait before the next attempt, by address.
        self.last_sync = 0

    # Joining and leaving

    async def __aenter__(self):
        self.changed = asyncio.Event()
        base = places.base_folder()
        os.close(places.open_own_folder(base))
        self.path = os.path.join(base, places.folder_name(self.domain))
        self.folder = places.open_own_folder(self.path)
        hidden = "." + self.address
        self.listener = self.make_socket()
        self.listener.bind(self.socket_path(hidden))
        self.listener.listen(4096)
        asyncio.get_running_loop().add_reader(self.listener, self.accept)
        os.rename(hidden, self.address, src_dir_fd=self.folder, dst_dir_fd=self.folder)
        names = [name for name in os.listdir(self.path) if not name.startswith(".")]
        await asyncio.gather(*filter(None, [self.connect(name) for name in names]))
        return self

    async def __aexit__(self, *_):
        outlets = list(self.outlets.values())
        self.remove_socket(self.address)
        asyncio.get_running_loop().remove_reader(self.listener)
        self.listener.close()
        await self.wait_while_taken(outlets)
        for outlet in outlets:
            if outlet.undecided is None or not outlet.undecided_bytes:
                outlet.write(wire.number_frame(wire.FAREWELL, outlet.next_number))
        for task in list(self.tasks.values()):
            task.cancel()
        # That closes the connections; what waits is written before.
        closings = [outlet.writer.wait_closed() for outlet in outlets]
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.gather(*closings, return_exceptions=True), 1)
        os.close(self.folder)

    async def wait_while_taken(self, outlets):
        """Waits until others have taken what was posted, as long as they take something."""
        loop = asyncio.get_running_loop()
        taken, since = None, loop.time()
        while True:
            waiting = {
                outlet.sender or outlet.process: size
                for outlet in outlets
                if outlet in self.outlets.values() and (size := outlet.waiting())
            }
            if not waiting:
                return
            if waiting != taken:
                taken, since = waiting, loop.time()
            elif loop.time() - since > PATIENCE:
                return self.report(f"not everything reached these: {', '.join(map(str, waiting))}")
            await asyncio.sleep(0.01)

    @staticmethod
    def make_socket():
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.setblocking(False)
        return made

    def socket_path(self, name):
        path = os.path.join(self.path, name)
        return path if len(os.fsencode(path)) < 108 else f"/proc/self/fd/{self.folder}/{name}"

    def remove_socket(self, name):
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=self.folder)

    # Connecting

    def connect(self, address):
        """Makes the connection on which this member posts to another, unless there is one.

        What it returns is done when the first attempt is.
        """
        if address in self.tasks or address == self.address:
            return None
        attempt = asyncio.get_running_loop().create_future()
        self.start(address, self.keep_outlet(address, attempt))
        return attempt

    def start(self, key, work):
        task = self.tasks[key] = asyncio.ensure_future(work)
        task.add_done_callback(lambda _: self.tasks.pop(key, None))

    async def keep_outlet(self, address, attempt):
        """Connects, and connects again when that ends, until the other has gone."""
        while True:
            sock = self.make_socket()
            result = sock.connect_ex(self.socket_path(address))
            outlet = await self.open(sock, Outlet) if result == 0 else sock.close()
            if outlet:
                self.outlets[address] = outlet
                outlet.write(self.hello.frame() + wire.promise_frame())
            if not attempt.done():
                attempt.set_result(None)
            if outlet:
                await self.converse(outlet, self.take_from_hearer)
                del self.outlets[address]
                if outlet.undecided is None:
                    self.pauses.pop(address, None)
                self.changed.set()
            elif result in (errno.ECONNREFUSED, errno.ENOENT):
                self.pauses.pop(address, None)
                return self.remove_socket(address)
            pause = self.pauses.get(address, 0.01)
            self.pauses[address] = min(pause * 2, 10)
            await asyncio.sleep(pause)

    def accept(self):
        with contextlib.suppress(OSError):
            sock, _ = self.listener.accept()
            self.start(sock, self.keep_inlet(sock))

    async def keep_inlet(self, sock):
        inlet = await self.open(sock, Inlet)
        if inlet:
            self.inlets.add(inlet)
            await self.converse(inlet, self.take_from_poster)
            self.inlets.discard(inlet)
            self.changed.set()
            await self.settle(inlet)

    async def settle(self, inlet):
        """Tells what is missing at a poster's end."""
        if inlet.farewell is not None:
            self.tell_of_loss(inlet, max(0, inlet.farewell - inlet.expected))
        elif inlet.has_promised and self.handlers:
            # A peer that lives connects again, and its numbers tell the losses.
            await asyncio.sleep(0.1)
            if all(other.sender.id != inlet.sender.id for other in self.greeted()):
                self.report(f"notifications from {inlet.sender} may be lost: it ended without a word")

    async def open(self, sock, make):
        """A connection with who is at the other end, if it is the same user."""
        sock.setblocking(False)
        credentials = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        process, user, _ = struct.unpack("iII", credentials)
        if user == os.geteuid():
            return make(*await asyncio.open_unix_connection(sock=sock), process)
        self.report(f"process {process} was refused: it belongs to user {user}")
        return sock.close()

    async def converse(self, connection, take):
        """Reads a connection until it ends."""
        try:
            async for kind, body in connection.frames():
                if connection.sender:
                    take(connection, kind, body)
                else:
                    self.take_hello(connection, wire.Hello.read(body, self.domain))
        except wire.ProtocolError as error:
            self.report(f"the connection to {connection.sender} was ended: {error}")
            connection.write(wire.bye_frame(str(error)))
        except wire.Goodbye as goodbye:
            self.report(f"{connection.sender} ended the connection: {goodbye}")
        finally:
            connection.writer.close()

    # Frames of other members

    def take_hello(self, connection, hello):
        process = connection.process or hello.process
        connection.sender = wire.Sender(hello.id.hex(), process, hello.name)
        if isinstance(connection, Inlet):
            connection.write(self.hello.frame())
            for interest in self.interests():
                connection.write(wire.interest_frame(wire.SUBSCRIBE, interest))
            connection.write(wire.number_frame(wire.SYNC, self.last_sync))
            if hello.address:
                self.connect(hello.address)

    def take_from_hearer(self, outlet, kind, body):
        if kind == wire.SUBSCRIBE:
            outlet.wanted.add(wire.read_interest(body))
        elif kind == wire.UNSUBSCRIBE:
            outlet.wanted.discard(wire.read_interest(body))
        elif kind == wire.SYNC:
            outlet.write(wire.number_frame(wire.SYNCED, body.number("<Q")))
            outlet.decide()
            self.changed.set()
        elif kind not in (wire.PONG, wire.REPORT) and kind < wire.FIRST_IGNORABLE:
            raise wire.ProtocolError(f"a frame of type {kind}")

    def take_from_poster(self, inlet, kind, body):
        if kind == wire.NOTIFICATION:
            note = wire.read_notification(body, inlet.sender)
            self.tell_of_loss(inlet, inlet.skip_to(note.number))
            inlet.expected += 1
            self.deliver(note)
        elif kind == wire.LOST:
            self.tell_of_loss(inlet, inlet.skip_to(body.number("<Q")))
        elif kind == wire.SYNCED:
            inlet.synced = max(inlet.synced, body.number("<Q"))
            self.changed.set()
        elif kind == wire.PING:
            inlet.write(wire.number_frame(wire.PONG, body.number("<Q")))
        elif kind == wire.STATUS:
            inlet.write(wire.report_frame(body.number("<Q")))
        elif kind == wire.PROMISE:
            inlet.has_promised = inlet.has_promised or body.take(body.left) == wire.PROMISED
        elif kind == wire.FAREWELL and inlet.has_promised:
            number = wire.read_farewell(body)
            if number is not None:
                # The largest one counts.
                inlet.farewell = max(number, inlet.farewell or 0)
        elif kind < wire.FIRST_IGNORABLE:
            raise wire.ProtocolError(f"a frame of type {kind}")

    def tell_of_loss(self, inlet, count):
        if count:
            self.report(f"{count} notifications from {inlet.sender} were lost")

    def deliver(self, note):
        for (name, about), handler in list(self.handlers):
            if name in (None, note.name) and about in (None, note.object):
                try:
                    handler(note)
                except Exception as error:  # One handler's mistake is not the others'.
                    self.report(f"a handler of {note.name!r} failed: {error!r}")

    # The interface

    def observe(self, handler, name=None, object=None):
        """Has `handler` called with notifications of a name, about an object; None: any."""
        before = self.interests()
        self.handlers.append(((name, object), handler))
        self.tell(wire.SUBSCRIBE, self.interests() - before)

    def stop_observing(self, handler):
        """Ends what `observe` began."""
        before = self.interests()
        self.handlers = [entry for entry in self.handlers if entry[1] is not handler]
        self.tell(wire.UNSUBSCRIBE, before - self.interests())

    def interests(self):
        return {interest for interest, _ in self.handlers}

    def greeted(self):
        return [inlet for inlet in self.inlets if inlet.sender]

    def tell(self, kind, interests):
        for inlet in self.greeted():
            for interest in interests:
                inlet.write(wire.interest_frame(kind, interest))

    def post(
        self, name, object=None, user_info=None, *, message=None, data=None, immediately=False
    ):
        """Posts to all who observe it.

        It carries a dict as `user_info`, or a dict as a typed `message`, in JSON, or bytes as
        `data`, or nothing.
        """
        kind, payload = wire.NONE, b""
        if user_info is not None:
            kind, payload = wire.PROPERTY_LIST, wire.encode_property_list(user_info)
        elif message is not None:
            kind, payload = wire.JSON, json.dumps(message).encode()
        elif data is not None:
            kind, payload = wire.BYTES, bytes(data)
        notification = wire.notification_frame(name, object, kind, payload, immediately)
        for outlet in list(self.outlets.values()):
            outlet.post(name, object, notification)

    async def ready(self, within):
        """Waits, for so many seconds at most, until all others know what is observed here.

        Returns those who did not say so in time.
        """
        self.last_sync += 1
        number = self.last_sync
        for inlet in self.greeted():
            inlet.write(wire.number_frame(wire.SYNC, number))
        await self.until(lambda: not self.unready(number), within)
        return self.unready(number)

    def unready(self, number):
        late = [inlet.sender for inlet in self.greeted() if inlet.synced < number]
        known = {inlet.sender.id for inlet in self.greeted()}
        return late + [wire.Sender(address, 0, "?") for address in self.outlets.keys() - known]

    async def until(self, is_true, within):
        async def wait():
            while not is_true():
                self.changed.clear()
                await self.changed.wait()

        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(wait(), within)

    def report(self, problem):
        self.on_problem(f"switchyard: {problem}")


# From a shell


async def post(arguments):
    info = dict(arguments.info)
    message = json.loads(arguments.message) if arguments.message else None
    async with Peer(arguments.domain) as peer:
        peer.post(arguments.name, arguments.object, info or None, message=message)


async def observe(arguments):
    heard = asyncio.Queue()
    async with Peer(arguments.domain) as peer:
        peer.observe(heard.put_nowait, arguments.name, arguments.object)
        print("ready", *await peer.ready(within=5), file=sys.stderr, flush=True)
        left = arguments.count
        while left != 0:
            print(lines.printed(await heard.get()), flush=True)
            left = left and left - 1


def main():
    parser = argparse.ArgumentParser(description="Talks to Switchyard's processes.")
    commands = parser.add_subparsers(dest="command", required=True)
    poster = commands.add_parser("post", help="post a notification")
    poster.set_defaults(run=post)
    poster.add_argument("name")
    poster.add_argument("--info", action="append", default=[], type=lines.entry, metavar="KEY=VALUE")
    poster.add_argument("--message", metavar="JSON", help="a typed message")
    observer = commands.add_parser("observe", help="print what comes, an object of JSON per line")
    observer.set_defaults(run=observe)
    observer.add_argument("name", nargs="?")
    observer.add_argument("--count", type=int, help="end after so many")
    for command in (poster, observer):
        command.add_argument("--object")
        command.add_argument("--domain", default="default")
    arguments = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(arguments.run(arguments))


if __name__ == "__main__":
    main()
