# Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.
"""Notifications in text, as the tool has them: what `switchyard observe --json` prints, and what
`switchyard post --info` takes.
"""

import argparse
import base64
import datetime
import json
import math
import re

import switchyard_wire as wire

DATA_KEY = "org.switchyard.data"  # Where bytes that only two programs know stand.


def printed(note):
    """A notification as a line of JSON."""
    line = {"name": note.name}
    if note.object is not None:
        line["object"] = note.object
    try:
        if note.kind != wire.NONE:
            line["userInfo"] = as_json(note.user_info)
    except (ValueError, wire.ProtocolError) as error:
        line["problem"] = str(error)
    line["sender"] = {"process": note.sender.name, "pid": note.sender.process}
    line["sequence"] = note.number
    text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
    # Characters that a terminal would obey are escaped too.
    return re.sub("[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text)


def as_json(info):
    return {DATA_KEY: printable(info)} if isinstance(info, bytes) else printable(info)


def printable(value):
    """Values that JSON lacks, in its terms; dictionaries by their keys."""
    if isinstance(value, dict):
        return {key: printable(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [printable(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime.datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def entry(argument):
    """An entry of userInfo: key=value, where JSON's Bools and numbers are such, or key:=JSON."""
    key, sign, text = argument.partition("=")
    is_json = key.endswith(":")
    key = key[:-1] if is_json else key
    if not key or not sign:
        raise argparse.ArgumentTypeError(f"takes key=value, and {argument!r} is none")
    number = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?"
    if is_json or re.fullmatch(f"true|false|{number}", text):
        try:
            return key, json.loads(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"what follows := in {argument!r}: {error}") from None
    return key, text
