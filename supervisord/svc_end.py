"""When programs are started again, and when and how the container ends; loaded by svc_wakeup.

A service that ends with exit code 2 was given a wrong option. One that fails ten times in a row cannot run: its
container ends, so that the engine sees the failure. A stop takes less than the 10 s after which an engine kills:
everything but daemon and keeper stops at once, then the daemon, then the keeper, which holds the commands.
"""

import atexit
import os
import signal
import time

from supervisor.process import Subprocess
from supervisor.states import ProcessStates, SupervisorStates
from supervisor.supervisord import Supervisor

KEEPER, DAEMON, GATEWAY = "keeper", "daemon", "gateway"
WRONG_OPTION = 2
EXIT_CODE_FILE = "/run/svc/exit-code"
MAX_FAILURES = 10
# A service that was up this long has not failed to start.
STEADY_SECONDS = 60
# The one number of the stop: the time of commands between SIGTERM and SIGKILL.
GRACE_SECONDS = float(os.environ.get("SVC_STOP_GRACE_SECONDS") or 1)
# Seconds until SIGKILL. The daemon ends the commands and then itself; the keeper holds nothing by then.
STOP_SECONDS = {KEEPER: 1, DAEMON: GRACE_SECONDS + 2}
OTHERS_STOP_SECONDS = GRACE_SECONDS + 1
LOOK_SECONDS = 0.1
# `startretries` of a program that is never given up, and the longest pause before its next start.
WITHOUT_END = 2147483647
MAX_PAUSE_SECONDS = 60


def end_container(options, code):
    with open(EXIT_CODE_FILE, "w", encoding="ascii") as file:
        file.write(f"{code}\n")
    options.mood = SupervisorStates.SHUTDOWN


def end_on_wrong_option():
    finish = Subprocess.finish

    def finish_and_look(process, pid, status):
        finish(process, pid, status)
        options = process.config.options
        wrong = os.WIFEXITED(status) and os.WEXITSTATUS(status) == WRONG_OPTION
        if wrong and process.config.name in (DAEMON, GATEWAY) and options.mood == SupervisorStates.RUNNING:
            end_container(options, WRONG_OPTION)

    Subprocess.finish = finish_and_look


def end_after_failures():
    change_state = Subprocess.change_state
    failures = {KEEPER: 0, DAEMON: 0, GATEWAY: 0}

    def count_and_change(process, state, expected=True):
        changed = change_state(process, state, expected)
        name, options = process.config.name, process.config.options
        ended = state in (ProcessStates.BACKOFF, ProcessStates.EXITED)
        if not ended or name not in failures or options.mood != SupervisorStates.RUNNING:
            return changed
        failures[name] = failures[name] + 1 if time.time() - process.laststart < STEADY_SECONDS else 0
        if failures[name] == MAX_FAILURES:
            options.logger.critical(f"{name} has failed {MAX_FAILURES} times in a row: the container ends")
            end_container(options, 1)
        return changed

    Subprocess.change_state = count_and_change


def pause_between_failures():
    """A program that ends soon after its start, again and again, starts after growing pauses, without an end."""
    change_state = Subprocess.change_state
    transition = Subprocess.transition

    def note_and_change(process, state, expected=True):
        changed = change_state(process, state, expected)
        ended = state in (ProcessStates.BACKOFF, ProcessStates.EXITED)
        if not ended or process.config.startretries != WITHOUT_END:
            return changed
        is_early = time.time() - process.laststart < STEADY_SECONDS
        process.svc_failures = getattr(process, "svc_failures", 0) + 1 if is_early else 1
        pause = min(process.svc_failures - 1, MAX_PAUSE_SECONDS)
        process.svc_next_start = time.monotonic() + pause
        # supervisord's own pause in this state; it takes a longer one than `backoff` for a change of the clock.
        process.backoff = pause
        process.delay = time.time() + pause
        return changed

    def wait_and_transition(process):
        paused = process.state in (ProcessStates.BACKOFF, ProcessStates.EXITED)
        if not paused or time.monotonic() >= getattr(process, "svc_next_start", 0):
            transition(process)

    Subprocess.change_state = note_and_change
    Subprocess.transition = wait_and_transition


def stop_in_time():
    stop = Subprocess.stop

    def stop_with_bound(process):
        config = process.config
        config.stopwaitsecs = STOP_SECONDS.get(config.name, min(config.stopwaitsecs, OTHERS_STOP_SECONDS))
        return stop(process)

    Subprocess.stop = stop_with_bound


def stop_together():
    def stop_step(supervisord):
        groups = supervisord.stop_groups
        # The loop looks once a second; what takes too long is to be killed at once.
        signal.signal(signal.SIGALRM, lambda *_: None)
        signal.setitimer(signal.ITIMER_REAL, LOOK_SECONDS, LOOK_SECONDS)
        for group in groups:
            if group.config.name not in STOP_SECONDS or group is groups[-1]:
                group.stop_all()

    def forget_stopped(supervisord):
        groups = supervisord.stop_groups
        while groups and not groups[-1].get_unstopped_processes():
            groups.pop()

    # Python restores the default action, which kills, before it exits.
    atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)
    Supervisor.ordered_stop_groups_phase_1 = stop_step
    Supervisor.ordered_stop_groups_phase_2 = forget_stopped


def install():
    end_on_wrong_option()
    end_after_failures()
    pause_between_failures()
    stop_in_time()
    stop_together()
