"""Reads paths, one a line, and writes as JSON which of them the account could lead elsewhere or write, and why.

A directory that the account can write counts also where it is sticky, since the account could have made the name before.
"""

import json
import os
import pwd
import stat
import sys

ACCOUNT = pwd.getpwnam("sandbox")
GROUPS = set(os.getgrouplist(ACCOUNT.pw_name, ACCOUNT.pw_gid))
MAX_LINKS = 40
PROC = os.stat("/proc").st_dev


def may(entry, wanted):
    if entry.st_uid == ACCOUNT.pw_uid:
        return True  # the owner can give itself every right
    bits = entry.st_mode >> 3 if entry.st_gid in GROUPS else entry.st_mode
    return bits & wanted == wanted


def look(path):
    try:
        return os.lstat(path)
    except OSError:
        return None


def reason(path):
    names = [name for name in path.split("/") if name not in ("", ".")]
    at = "/"
    links = 0
    while names:
        name = names.pop(0)
        if name == "..":
            at = os.path.dirname(at)
            continue
        directory = os.lstat(at)
        if directory.st_dev == PROC:
            return None  # the system names what is there
        if may(directory, 0o3):
            return f"{at} can be written"
        here = os.path.join(at, name)
        entry = look(here)
        if entry is None:
            return None
        if stat.S_ISLNK(entry.st_mode) and links < MAX_LINKS:
            links += 1
            target = os.readlink(here)
            names = [part for part in target.split("/") if part not in ("", ".")] + names
            at = "/" if target.startswith("/") else at
            continue
        if not names and not stat.S_ISCHR(entry.st_mode) and may(entry, 0o2):
            return f"{here} can be written"
        if names and not stat.S_ISDIR(entry.st_mode):
            return None
        at = here
    return None


found = {path: reason(path) for path in sys.stdin.read().splitlines()}
json.dump({path: why for path, why in found.items() if why}, sys.stdout)
