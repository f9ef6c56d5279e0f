"""Cases of sandboxd's ProcessService by grpcio and the stubs of the published client.

grpc_cases.py TARGET [KEY]: prints a line of JSON, the name of each case with "passed" or why not.
"""

import json
import os
import sys

import grpc
import k8s_agent_sandbox

sys.path.insert(0, os.path.join(os.path.dirname(k8s_agent_sandbox.__file__), "_proto"))
from process.v1 import process_pb2 as messages  # noqa: E402
from process.v1 import process_pb2_grpc as services  # noqa: E402

TARGET, KEY = sys.argv[1], (sys.argv[2:] or [None])[0]
METADATA = [("x-api-key", KEY)] if KEY else []
SECONDS = 30
UNKNOWN = 424242

stub = services.ProcessServiceStub(grpc.insecure_channel(TARGET))


def call(method, message):
    return method(message, metadata=METADATA, timeout=SECONDS)


def config(*command, **more):
    return messages.ProcessConfig(command=command, **more)


def execute(*command, **more):
    return call(stub.Execute, messages.ExecuteRequest(config=config(*command, **more)))


def start(*command, **more):
    """A stream, and the number of its process, which the first event has."""
    events = call(stub.Start, messages.StartRequest(config=config(*command), **more))
    return events, next(events).init.process_id


def drain(events):
    out, err, code = b"", b"", None
    for message in events:
        kind = message.WhichOneof("event")
        assert code is None, f"{kind} after the exit"
        if kind == "stdout":
            out += message.stdout
        elif kind == "stderr":
            err += message.stderr
        elif kind == "exit":
            code = message.exit.exit_code
    assert code is not None, "no exit"
    return out, err, code


def signal(number, process_id):
    return call(stub.SendSignal, messages.SendSignalRequest(process_id=process_id, signal=number))


def refused(code, method, message):
    try:
        answer = call(method, message)
        list(answer) if hasattr(answer, "__next__") else None
    except grpc.RpcError as error:
        assert error.code() == code, f"{error.code()} in place of {code}: {error.details()}"
    else:
        raise AssertionError(f"no {code}")


def end(events, process_id):
    signal(messages.SIGNAL_SIGKILL, process_id)
    assert drain(events)[2] != 0


def execute_echo():
    answer = execute("echo", "hello")
    assert (answer.exit_code, answer.stdout, answer.stderr) == (0, b"hello\n", b""), answer


def execute_exit_code():
    assert execute("sh", "-c", "exit 3").exit_code == 3


def execute_environment_and_directory():
    assert execute("mkdir", "-p", "sub").exit_code == 0
    answer = execute("sh", "-c", "echo $SANDBOX_TEST; pwd", env_vars={"SANDBOX_TEST": "kept"}, cwd="sub")
    variable, directory = answer.stdout.decode().split("\n")[:2]
    assert variable == "kept" and directory.endswith("/sub"), answer


def execute_without_command():
    refused(grpc.StatusCode.INVALID_ARGUMENT, stub.Execute, messages.ExecuteRequest(config=config()))


def execute_outside_of_the_root():
    request = messages.ExecuteRequest(config=config("pwd", cwd="../.."))
    refused(grpc.StatusCode.PERMISSION_DENIED, stub.Execute, request)


def start_streams():
    events, process_id = start("sh", "-c", "echo out; echo err 1>&2; exit 7")
    assert process_id > 0 and drain(events) == (b"out\n", b"err\n", 7)


def stdin_and_its_end():
    events, process_id = start("cat")
    call(stub.WriteStdin, messages.WriteStdinRequest(process_id=process_id, input=b"piped"))
    call(stub.WriteStdin, messages.WriteStdinRequest(process_id=process_id, eof={}))
    assert drain(events) == (b"piped", b"", 0)


def stdin_of_no_process():
    request = messages.WriteStdinRequest(process_id=UNKNOWN, input=b"x")
    refused(grpc.StatusCode.NOT_FOUND, stub.WriteStdin, request)


def signal_to_no_process():
    request = messages.SendSignalRequest(process_id=UNKNOWN, signal=messages.SIGNAL_SIGTERM)
    refused(grpc.StatusCode.NOT_FOUND, stub.SendSignal, request)


def signal_without_a_number():
    events, process_id = start("sleep", "30")
    request = messages.SendSignalRequest(process_id=process_id)
    refused(grpc.StatusCode.INVALID_ARGUMENT, stub.SendSignal, request)
    end(events, process_id)


def signal_ends():
    events, process_id = start("sleep", "30")
    signal(messages.SIGNAL_SIGTERM, process_id)
    assert drain(events)[2] != 0


def size_without_a_terminal():
    events, process_id = start("sleep", "30")
    request = messages.ResizeTTYRequest(process_id=process_id, cols=80, rows=24)
    refused(grpc.StatusCode.FAILED_PRECONDITION, stub.ResizeTTY, request)
    end(events, process_id)


def terminal():
    events, _ = start("sh", "-c", "stty size", pty=messages.PTY(cols=80, rows=24))
    out, _, code = drain(events)
    assert code == 0 and b"24 80" in out, out


def terminal_with_another_size():
    events, process_id = start("cat", pty=messages.PTY(cols=80, rows=24))
    call(stub.ResizeTTY, messages.ResizeTTYRequest(process_id=process_id, cols=120, rows=40))
    end(events, process_id)


CASES = [
    execute_echo,
    execute_exit_code,
    execute_environment_and_directory,
    execute_without_command,
    execute_outside_of_the_root,
    start_streams,
    stdin_and_its_end,
    stdin_of_no_process,
    signal_to_no_process,
    signal_without_a_number,
    signal_ends,
    size_without_a_terminal,
    terminal,
    terminal_with_another_size,
]


def outcome(case):
    try:
        case()
    except Exception as error:  # each case is judged by itself
        return f"{type(error).__name__}: {error}"[:300]
    return "passed"


print(json.dumps({case.__name__: outcome(case) for case in CASES}))
