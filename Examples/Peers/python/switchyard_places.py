# Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.
"""Where docs/wire-protocol.md has the members of a domain find each other."""

import contextlib
import os
import stat


def base_folder():
    """The folder in which all domains have theirs."""
    chosen = os.environ.get("SWITCHYARD_RUNTIME_DIR")
    if chosen:
        return os.path.join(chosen, "switchyard")
    for session in (os.environ.get("XDG_RUNTIME_DIR"), f"/run/user/{os.geteuid()}"):
        if session and is_own_folder(session):
            folder = os.path.join(session, "switchyard")
            with contextlib.suppress(OSError):
                os.mkdir(folder, 0o700)
            if os.path.lexists(folder):
                return folder
    return f"/tmp/switchyard-{os.geteuid()}"


def is_own_folder(path):
    with contextlib.suppress(OSError):
        found = os.stat(path)
        return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
    return False


def open_own_folder(path):
    """Opens a folder, or makes it, in which nobody else can have put anything."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    found = os.fstat(folder)
    if found.st_uid == os.geteuid() and not found.st_mode & 0o077:
        return folder
    os.close(folder)
    raise PermissionError(f"{path} belongs to somebody else, or others have access to it")


def folder_name(domain):
    name = ""
    for byte in domain.encode():
        char = chr(byte)
        is_plain = byte < 128 and (char.isalnum() or char in "-_" or (char == "." and name))
        name += char if is_plain else f"%{byte:02X}"
    if not 0 < len(name) <= 200:
        raise ValueError(f"{domain!r} can't be a domain: its folder's name has 1 to 200 bytes")
    return name
