/**
 * What the newest cell of an IPython kernel has published is kept in the kernel, so that a daemon that was away can ask
 * for it on the control channel: `svc_record_request` with `{"cell"}`. The reply has `{"cell", "count", "is_ended",
 * "is_whole", "input"}`, the prompt that waits, and the messages as buffers, five each: signature, header, parent, metadata and content. Streams are
 * kept up to 8 MiB, all else up to 48 MiB; of what is beyond that the content is cut.
 */
export const RECORDER = `
def record(app):
    import json
    kernel, thread = app.kernel, app.iopub_thread
    send = thread._really_send
    kept = {"cell": None, "messages": [], "stream": 0, "other": 0, "is_ended": False, "is_whole": True}
    limits = {"stream": 8 << 20, "other": 48 << 20}

    def note(frames):
        at = frames.index(b"<IDS|MSG>") + 1
        signature, header, parent, metadata, content = [bytes(frame) for frame in frames[at:at + 5]]
        kind, cell = json.loads(header)["msg_type"], json.loads(parent).get("msg_id")
        if kind == "execute_input":
            kept.update(cell=cell, messages=[], stream=0, other=0, is_ended=False, is_whole=True)
            return
        if cell is None or cell != kept["cell"]:
            return
        if kind == "status":
            kept["is_ended"] = kept["is_ended"] or json.loads(content).get("execution_state") == "idle"
            return
        room = "stream" if kind == "stream" else "other"
        left = limits[room] - kept[room]
        if len(content) > left:
            kept["is_whole"] = False
            content = content[:left] if room == "stream" else b""
            if len(kept["messages"]) > 20000:
                return
        kept[room] += len(content) + len(header) + len(parent)
        kept["messages"].append((signature, header, parent, metadata, content))

    def really_send(message, *args, **kwargs):
        try:
            note(message)
        except Exception:
            pass
        return send(message, *args, **kwargs)

    def answer(stream, ident, request):
        wanted = request["content"].get("cell")
        content = {"cell": kept["cell"], "count": kernel.execution_count - 1}
        content.update(is_ended=kept["is_ended"], is_whole=kept["is_whole"], input=asked["request"])
        messages = list(kept["messages"]) if wanted == kept["cell"] else []
        buffers = [frame for message in messages for frame in message]
        kernel.session.send(stream, "svc_record_reply", content, request, ident=ident, buffers=buffers)

    app.shell.events.register("post_run_cell", take_rest)
    thread._really_send = really_send
    kernel.control_handlers["svc_record_request"] = answer

`;
