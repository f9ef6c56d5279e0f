"""How the container ends; loaded by svc_wakeup.

A stop takes less than the 10 s after which an engine kills: everything but daemon and keeper stops at once, then the
daemon, then the keeper, which holds the commands.
"""

import atexit
import os
import signal

from supervisor.process import Subprocess
from supervisor.states import SupervisorStates
from supervisor.supervisord import Supervisor

KEEPER, DAEMON, GATEWAY = "keeper", "daemon", "gateway"
EXIT_CODE_FILE = "/run/svc/exit-code"
# The one number of the stop: the time of commands between SIGTERM and SIGKILL.
GRACE_SECONDS = float(os.environ.get("SVC_STOP_GRACE_SECONDS") or 1)
# Seconds until SIGKILL. The daemon ends the commands and then itself; the keeper holds nothing by then.
STOP_SECONDS = {KEEPER: 1, DAEMON: GRACE_SECONDS + 2}
OTHERS_STOP_SECONDS = GRACE_SECONDS + 1
LOOK_SECONDS = 0.1


def end_container(options, code):
    with open(EXIT_CODE_FILE, "w", encoding="ascii") as file:
        file.write(f"{code}\n")
    options.mood = SupervisorStates.SHUTDOWN


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
    stop_in_time()
    stop_together()
