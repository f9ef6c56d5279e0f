import { END_IN_ORDER } from '../../runtime/end-in-order.ts';
import { IMPORT_PATHS } from '../../runtime/import-paths.ts';
import { FIGURES } from './figures.ts';
import { INPUT } from './input.ts';
import { NOTEBOOK } from './notebook.ts';
import { RECORDER } from './recorder.ts';
import { STREAMS } from './streams.ts';

/**
 * Python: `become_kernel(connection_file, refresh)` is an IPython kernel until it is to end. Each part is left out where the
 * ipykernel or IPython of the account refuses it; `refresh` is that of `import_paths`.
 */
export const BECOME_KERNEL = `
${IMPORT_PATHS}
${END_IN_ORDER}
${FIGURES}
${STREAMS}
${NOTEBOOK}
${INPUT}
${RECORDER}

def leave_on_request(app):
    # A shutdown_request would wait seconds for children that have ended but were not waited for.
    app.kernel.control_handlers["svc_leave_request"] = lambda *_: app.io_loop.add_callback(app.io_loop.stop)


def replace_surrogates(app):
    # UTF-8 cannot encode a lone surrogate: the message would be lost, and the end of the cell with it.
    import json
    from jupyter_client.jsonutil import json_default
    session = app.session
    pack = session.pack

    def packed(content):
        try:
            return pack(content)
        except UnicodeEncodeError:
            text = json.dumps(content, default=json_default, ensure_ascii=False, allow_nan=False)
            return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace").encode("utf-8")

    session.pack = packed


def become_kernel(connection_file, refresh):
    from ipykernel import kernelapp
    from traitlets.config import Config
    try:
        whole_characters()
    except Exception:
        pass
    app = kernelapp.IPKernelApp.instance()
    # Its parser of arguments would take a fifth of the start. Histories of sessions are not mixed in one file.
    app.parse_command_line = lambda argv=None: None
    known = {"IPKernelApp": {"connection_file": connection_file}, "HistoryManager": {"hist_file": ":memory:"}}
    app.update_config(Config(known))
    app.initialize([])
    app.shell.events.register("pre_run_cell", lambda *_: refresh() and None)
    for part in (replace_surrogates, record, leave_on_request, take_input, notebook, figures):
        try:
            part(app)
        except Exception:
            pass
    app.start()
`;

/** An IPython kernel in a Python of its own; its arguments are `-f` and the connection file, as of `ipykernel_launcher`. */
export const KERNEL_PROGRAM = `
import sys
sys.path[:] = [entry for entry in sys.path if entry]
${BECOME_KERNEL}
become_kernel(sys.argv[2], import_paths())
end_in_order()
`;
