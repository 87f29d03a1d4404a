# Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.
"""The bytes of docs/wire-protocol.md: frames, and the property lists in them."""

import datetime
import json
import struct
from typing import Any, NamedTuple, Optional

VERSION = 1
MAGIC = b"SWITCHYD"
LONGEST_GREETING = 4096
LONGEST_FRAME = 16 * 1024 * 1024 + 256 * 1024
LONGEST_PAYLOAD = 16 * 1024 * 1024
LONGEST_TEXT = 65_535
DEEPEST = 64

HELLO, BYE, SUBSCRIBE, UNSUBSCRIBE, SYNC, SYNCED = range(1, 7)
NOTIFICATION, LOST, PING, PONG, STATUS, REPORT = range(16, 22)
FIRST_IGNORABLE = 128
PROMISE, FAREWELL = 129, 130
PROMISED = b"FAREWELL"
LARGEST_NUMBER = 2**63 - 1
ANY_NAME, ANY_OBJECT = 1, 2
HAS_OBJECT, IS_IMMEDIATE, IS_KEPT = 1, 2, 8
NONE, PROPERTY_LIST, JSON, BYTES = range(4)


class ProtocolError(Exception):
    """The other end does not keep to the protocol."""


class Goodbye(Exception):
    """The other end said BYE."""


class Reader:
    """Reads bytes from front to back, and no further than they go."""

    def __init__(self, data):
        self.data = memoryview(data)

    def take(self, count):
        if count > self.left:
            raise ProtocolError(f"{count} bytes expected, {self.left} are left")
        taken, self.data = bytes(self.data[:count]), self.data[count:]
        return taken

    @property
    def left(self):
        return len(self.data)

    def numbers(self, form):
        return struct.unpack(form, self.take(struct.calcsize(form)))

    def number(self, form):
        return self.numbers(form)[0]

    def text(self, count):
        try:
            return self.take(count).decode()
        except UnicodeDecodeError:
            raise ProtocolError("a text that is no UTF-8") from None

    def short_text(self):
        return self.text(self.number("<H"))


# Property lists

EPOCH = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)
NUMBERS = {
    **{0x10: "<q", 0x11: "<b", 0x12: "<h", 0x13: "<i", 0x14: "<q"},
    **{0x18: "<Q", 0x19: "<B", 0x1A: "<H", 0x1B: "<I", 0x1C: "<Q"},
    **{0x20: "<d", 0x21: "<f"},
}


def counted(data):
    return struct.pack("<I", len(data)) + data


def encode_property_list(value, depth=0):
    """The bytes of a dict, list, str, bytes, bool, int, float or datetime (with a time zone)."""
    if isinstance(value, bool):
        return b"\x02" if value else b"\x01"
    if isinstance(value, int):
        tag = 0x10 if value < 2**63 else 0x18
        return bytes([tag]) + struct.pack(NUMBERS[tag], value)
    if isinstance(value, float):
        return b"\x20" + struct.pack("<d", value)
    if isinstance(value, str):
        return b"\x30" + counted(value.encode())
    if isinstance(value, (bytes, bytearray)):
        return b"\x31" + counted(bytes(value))
    if isinstance(value, datetime.datetime):
        return b"\x32" + struct.pack("<d", (value - EPOCH).total_seconds())
    if not isinstance(value, (list, tuple, dict)):
        raise TypeError(f"{value!r} is no property list")
    if depth == DEEPEST:
        raise ValueError(f"more than {DEEPEST} lists and dicts inside each other")
    head = bytes([0x41 if isinstance(value, dict) else 0x40]) + struct.pack("<I", len(value))
    if not isinstance(value, dict):
        return head + b"".join(encode_property_list(item, depth + 1) for item in value)
    return head + b"".join(
        counted(key.encode()) + encode_property_list(item, depth + 1)
        for key, item in value.items()
    )


def decode_property_list(data):
    """The dict that the bytes are. All integers come as int, both kinds of numbers as float."""
    reader = Reader(data)
    value = decode_value(reader)
    if reader.left or not isinstance(value, dict):
        raise ProtocolError("a property list that is not one dictionary")
    return value


def decode_value(reader, depth=0):
    tag = reader.number("<B")
    if tag in (0x01, 0x02):
        return tag == 0x02
    if tag in NUMBERS:
        return reader.number(NUMBERS[tag])
    if tag == 0x30:
        return reader.text(reader.number("<I"))
    if tag == 0x31:
        return reader.take(reader.number("<I"))
    if tag == 0x32:
        return decode_date(reader.number("<d"))
    if tag not in (0x40, 0x41) or depth == DEEPEST:
        raise ProtocolError(f"a property list with the tag {tag:#x} at depth {depth}")
    # No room is made for what a count announces: one that lies ends with the bytes.
    count = reader.number("<I")
    if tag == 0x40:
        return [decode_value(reader, depth + 1) for _ in range(count)]
    entries = {}
    for _ in range(count):
        key = reader.text(reader.number("<I"))
        if key in entries:
            raise ProtocolError(f"the key {key!r} twice")
        entries[key] = decode_value(reader, depth + 1)
    return entries


def decode_date(seconds):
    try:
        return EPOCH + datetime.timedelta(seconds=seconds)
    except (OverflowError, ValueError):
        return seconds  # Past what a datetime can say.


# Frames


class Sender(NamedTuple):
    """The poster of a notification."""

    id: str
    process: int
    name: str


class Notification(NamedTuple):
    """A notification that came."""

    name: str
    object: Optional[str]
    kind: int
    payload: bytes
    sender: Sender
    number: int
    is_immediate: bool

    @property
    def user_info(self) -> Any:
        """A dict for a property list or JSON, bytes for bytes, or None."""
        if self.kind == PROPERTY_LIST:
            return decode_property_list(self.payload)
        if self.kind == JSON:
            return json.loads(self.payload)
        return self.payload if self.kind == BYTES else None


def frame(kind, body=b""):
    return struct.pack("<IB", 1 + len(body), kind) + body


def number_frame(kind, number):
    return frame(kind, struct.pack("<Q", number))


def promise_frame():
    """Announces FAREWELL."""
    return frame(PROMISE, PROMISED)


def read_farewell(reader):
    """The number in FAREWELL; None: it is to be passed over."""
    number = reader.number("<Q") if reader.left >= 8 else 0
    return number if 0 < number <= LARGEST_NUMBER else None


def short_text(text):
    data = text.encode()[:LONGEST_TEXT]
    return struct.pack("<H", len(data)) + data


def bye_frame(reason):
    return frame(BYE, short_text(reason))


def report_frame(number):
    """The answer of a member that does not count what it does."""
    return frame(REPORT, struct.pack("<Q", number) + encode_property_list({"peers": []}))


class Hello(NamedTuple):
    """The first frame of both ends of a connection."""

    id: bytes
    process: int
    name: str
    address: str
    domain: str

    def frame(self):
        head = struct.pack("<BBH16sI", VERSION, VERSION, 0, self.id, self.process)
        texts = b"".join(short_text(text) for text in (self.name, self.address, self.domain))
        return frame(HELLO, MAGIC + head + texts)

    @staticmethod
    def read(reader, domain):
        """Reads the other end's greeting; an error when it can't be talked to."""
        if reader.take(len(MAGIC)) != MAGIC:
            raise ProtocolError("a greeting in another protocol")
        lowest, highest, _, ident, process = reader.numbers("<BBH16sI")
        hello = Hello(ident, process, *(reader.short_text() for _ in range(3)))
        if not lowest <= VERSION <= highest:
            raise ProtocolError(f"versions {lowest} to {highest}, and this is {VERSION}")
        if hello.domain != domain:
            raise ProtocolError(f"domain {hello.domain!r}, and this is {domain!r}")
        return hello


def interest_frame(kind, interest):
    """SUBSCRIBE or UNSUBSCRIBE; an interest is a name or None, and an object or None."""
    flags = (ANY_NAME if interest[0] is None else 0) | (ANY_OBJECT if interest[1] is None else 0)
    name, about = ((text or "").encode() for text in interest)
    return frame(kind, struct.pack("<BBHI", flags, 0, len(name), len(about)) + name + about)


def read_interest(reader):
    flags, _, name_length, object_length = reader.numbers("<BBHI")
    if object_length > LONGEST_TEXT:
        raise ProtocolError(f"a subscription to an object of {object_length} bytes")
    name, about = reader.text(name_length), reader.text(object_length)
    return (None if flags & ANY_NAME else name, None if flags & ANY_OBJECT else about)


def notification_frame(name, about, kind, payload, is_immediate):
    """A notification without its number."""
    text, object_text = name.encode(), (about or "").encode()
    if max(len(text), len(object_text)) > LONGEST_TEXT or len(payload) > LONGEST_PAYLOAD:
        raise ValueError("the name, the object or the payload is too long")
    flags = (0 if about is None else HAS_OBJECT) | (IS_IMMEDIATE if is_immediate else 0)
    head = struct.pack("<BBBQIHH", flags, kind, 0, 0, len(object_text), len(text), 0)
    return frame(NOTIFICATION, head + text + object_text + payload)


def numbered(notification, number):
    return notification[:8] + struct.pack("<Q", number) + notification[16:]


def read_notification(reader, sender):
    flags, kind, _, number, object_length, name_length, _ = reader.numbers("<BBBQIHH")
    if kind not in (NONE, PROPERTY_LIST, JSON, BYTES):
        raise ProtocolError(f"a payload of kind {kind}")
    name, about = reader.text(name_length), reader.text(object_length)
    about = about if flags & HAS_OBJECT else None
    if flags & IS_KEPT:
        # The time of the post. This peer keeps no latest values.
        reader.numbers("<Q")
    payload = reader.take(reader.left)
    return Notification(name, about, kind, payload, sender, number, bool(flags & IS_IMMEDIATE))
