"""Ten tasks with the package that openapi-python-client generates; each answer is one word."""

import json
import sys

from pyc import AuthenticatedClient
from pyc.api.code import execute_code
from pyc.api.commands import read_command, run_command, write_command_stdin
from pyc.api.files import download_file, edit_file, grep_files, list_directory, read_file, write_file
from pyc.api.terminals import close_terminal, create_terminal, get_terminal
from pyc.models import (
    CreateTerminalInput,
    EditFileInput,
    ErrorBody,
    ExecuteCodeInput,
    GrepInput,
    RunCommandInput,
    RunCommandInputModeType1,
    StreamOutput,
    WriteCommandStdinInput,
    WriteFileInput,
)

url, key, directory = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key, raise_on_unexpected_status=True)
said = []

run = run_command.sync(client=client, body=RunCommandInput(command="echo one; exit 3")).data
said.append(f"{run.stdout.strip()} {run.exit_code} {run.status}")

body = RunCommandInput(command="cat", mode=RunCommandInputModeType1.ASYNC)
command = run_command.sync(client=client, body=body).data.command_id
write_command_stdin.sync(command, client=client, body=WriteCommandStdinInput(input_="two", eof=True))
said.append(read_command.sync(command, client=client, wait=True, wait_timeout=10).data.stdout)

file = f"{directory}/three.txt"
written = write_file.sync(client=client, body=WriteFileInput(path=file, content="three\n")).data
said.append(str(written.bytes_written))
said.append(read_file.sync(client=client, path=file).data.content.strip())
entries = list_directory.sync(client=client, path=directory, recursive=False).data.files
said.append(",".join(entry.name for entry in entries))
found = grep_files.sync(client=client, body=GrepInput(path=directory, pattern="thr.*")).data
said.append(str(found.matches[0].line_number))
edit = EditFileInput(path=file, command="str_replace", old_str="three", new_str="seven")
said.append(edit_file.sync(client=client, body=edit).data.new_content.strip())
said.append(download_file.sync(client=client, path=file).payload.read().decode().strip())

cell = execute_code.sync(client=client, body=ExecuteCodeInput(language="bash", code="echo nine")).data
for output in cell.outputs:
    if isinstance(output, StreamOutput):
        said.append(f"{output.name} {output.text.strip()}")

session = create_terminal.sync(client=client, body=CreateTerminalInput(id="ten", cwd=directory)).data.session_id
terminal = get_terminal.sync(session, client=client).data
said.append(f"{terminal.session_id} {'exited' if terminal.status == 'exited' else 'open'}")
close_terminal.sync(session, client=client)

wrong = read_file.sync(client=client, path=f"{directory}/none")
assert isinstance(wrong, ErrorBody) and wrong.success is False
print(json.dumps(said))
