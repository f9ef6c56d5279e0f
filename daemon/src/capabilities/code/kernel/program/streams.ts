/**
 * Python: what programs of a cell write is decoded with a memory, since a character may arrive in two pieces: at the pipe
 * of stdout and stderr, and at the terminal of `!command`.
 */
export const STREAMS = String.raw`
def whole_characters():
    import codecs, os, select, threading
    from ipykernel import iostream

    def watch(self):
        if getattr(self, "_fid", None) is None:
            return
        decoder, reading = codecs.getincrementaldecoder("utf-8")("replace"), threading.Lock()
        self._svc_rest = (decoder, reading)
        waiting = select.poll()
        waiting.register(self._fid, select.POLLIN)
        try:
            while self._should_watch:
                waiting.poll()
                # Who holds the lock and finds the pipe empty knows that all of it was written to the stream.
                with reading:
                    data = os.read(self._fid, 65536)
                    if not data:
                        break
                    text = decoder.decode(data)
                    if text:
                        self.write(text)
                os.write(self._original_stdstream_copy, data)
        except Exception:
            import sys
            self._exc = sys.exc_info()

    if hasattr(iostream.OutStream, "_watch_pipe_fd"):
        iostream.OutStream._watch_pipe_fd = watch
    from IPython.utils import _process_posix
    decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def decode(data, errors="strict"):
        return decoder.decode(bytes(data)), len(data)

    def find(name):
        known = name.replace("-", "_") == "svc_whole_utf_8"
        return codecs.CodecInfo(codecs.utf_8_encode, decode, name="svc_whole_utf_8") if known else None

    if hasattr(_process_posix, "DEFAULT_ENCODING"):
        codecs.register(find)
        _process_posix.DEFAULT_ENCODING = "svc_whole_utf_8"


def take_rest(*_):
    # What a program wrote is in a pipe that a thread of the kernel reads: it belongs to the cell that ran the program.
    import array, fcntl, sys, termios, time
    deadline = time.monotonic() + 0.5
    for stream in (sys.stdout, sys.stderr):
        fd, size = getattr(stream, "_fid", None), array.array("i", [0])
        while fd is not None and time.monotonic() < deadline:
            fcntl.ioctl(fd, termios.FIONREAD, size)
            if size[0] == 0:
                break
            time.sleep(0.002)
        rest = getattr(stream, "_svc_rest", None)
        if rest is not None:
            decoder, reading = rest
            with reading:
                if decoder.getstate()[0]:
                    stream.write(decoder.decode(b"", True))
                    decoder.reset()
`;
