/**
 * Python: what programs of a cell write is decoded with a memory, since a character may arrive in two pieces: at the pipe
 * of stdout and stderr, and at the terminal of `!command`. What it has written is taken before what the cell writes,
 * shows or raises after it: a thread reads the pipe, and on a busy machine it is late.
 */
export const STREAMS = String.raw`
def whole_characters():
    import codecs, fcntl, os, select, sys, termios, threading
    from ipykernel import iostream

    def watch(self):
        if getattr(self, "_fid", None) is None:
            return
        # The lock of a condition may be taken twice: what a finalizer prints may interrupt who holds it.
        decoder, reading = codecs.getincrementaldecoder("utf-8")("replace"), threading.Condition()
        self._svc_read, self._svc_is_taking, self._svc_reader = 0, False, threading.get_ident()
        self._svc_rest = (decoder, reading)
        waiting = select.poll()
        waiting.register(self._fid, select.POLLIN)
        try:
            while self._should_watch:
                waiting.poll()
                # Who holds the lock and finds the pipe empty knows that all of it was written to the stream.
                with reading:
                    self._svc_is_taking = True
                    data = os.read(self._fid, 65536)
                    if not data:
                        break
                    text = decoder.decode(data)
                    if text:
                        self.write(text)
                    self._svc_read += len(data)
                    self._svc_is_taking = False
                    reading.notify_all()
                os.write(self._original_stdstream_copy, data)
        except Exception:
            self._exc = sys.exc_info()
        finally:
            self._svc_reader = None

    ioctl, ident, none, own = fcntl.ioctl, threading.get_ident, bytes(4), os.getpid()

    def take_piped(stream):
        # Waits until the reader has taken what the pipe holds now, at most half a second. A print of a cell pays for it.
        reader = getattr(stream, "_svc_reader", None)
        if reader is None or reader == ident():
            return
        is_empty = ioctl(stream._fid, termios.FIONREAD, none) == none and not stream._svc_is_taking
        if is_empty or os.getpid() != own:
            return
        reading = stream._svc_rest[1]
        with reading:
            held = int.from_bytes(ioctl(stream._fid, termios.FIONREAD, none), sys.byteorder)
            wanted = stream._svc_read + held
            reading.wait_for(lambda: stream._svc_read >= wanted or stream._svc_reader is None, 0.5)

    write, flush = iostream.OutStream.write, iostream.OutStream.flush

    def write_after(self, string):
        take_piped(self)
        return write(self, string)

    def flush_after(self):
        take_piped(self)
        return flush(self)

    if hasattr(iostream.OutStream, "_watch_pipe_fd"):
        iostream.OutStream._watch_pipe_fd = watch
        iostream.OutStream.write, iostream.OutStream.flush = write_after, flush_after
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
