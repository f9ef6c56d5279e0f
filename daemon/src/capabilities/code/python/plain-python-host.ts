import { NO_ANSWER_TEXT } from '../kernel/program/input.ts';
import { END_IN_ORDER } from '../runtime/end-in-order.ts';
import { IMPORT_PATHS } from '../runtime/import-paths.ts';

/**
 * The program of a Python interpreter without a kernel, for any Python 3; its arguments are the secret, the directory
 * of its socket and the name of its mark when it takes cells. A thread takes the messages, so that a cell can be
 * interrupted while it runs.
 */
export const PYTHON_HOST = `${IMPORT_PATHS}${END_IN_ORDER}${NO_ANSWER_TEXT}${String.raw`
import sys
def _svc_host():
    import ast, itertools, json, linecache, os, queue, signal, socket, threading, traceback
    token, directory, ready = sys.argv[1:4]
    sys.argv[:] = ['']
    sys.path.insert(0, '')
    text_max = 1000000
    refresh = globals().pop('import_paths')()
    end_in_order = globals().pop('end_in_order')
    no_answer = globals().pop('NO_ANSWER')
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, 'reconfigure'): stream.reconfigure(encoding='utf-8', errors='backslashreplace')
    def mark(name, code):
        for stream in (sys.__stdout__, sys.__stderr__, sys.stdout, sys.stderr):
            try: stream.flush()
            except Exception: pass
        data = ('\x1e%s %d\x1e' % (name, code)).encode()
        for fd in (1, 2):
            try:
                rest = data
                while rest: rest = rest[os.write(fd, rest):]
            except OSError: pass
    def cut(text): return text if len(text) <= text_max else text[:text_max] + '…'
    import types
    module = types.ModuleType('__main__')
    module.__builtins__ = __builtins__
    sys.modules['__main__'] = module
    space = module.__dict__
    cells = queue.Queue()
    answers = queue.Queue()
    state = {'running': None, 'last': None, 'socket': None, 'count': 0, 'input': None, 'asked': 0, 'takes': False}
    lock = threading.Lock()
    def send(message):
        data = (json.dumps(message) + '\n').encode('utf-8', 'replace')
        with lock:
            connection = state['socket']
            try: connection and connection.sendall(data)
            except OSError: pass
    def ask(prompt, is_password):
        if not state['takes']: raise EOFError(no_answer)
        while not answers.empty(): answers.get_nowait()
        prompt = str(prompt)
        sys.stdout.write(prompt)
        sys.stdout.flush()
        state['asked'] += 1
        state['input'] = {'prompt': prompt, 'password': is_password, 'number': state['asked']}
        send(dict(state['input'], ask=state['running']))
        try: text = answers.get()
        finally: state['input'] = None
        if text is None: raise EOFError(no_answer)
        sys.stdout.write('\n' if is_password else text + '\n')
        return text
    import builtins
    builtins.input = lambda prompt='', /: ask(prompt, False)
    import getpass
    getpass.getpass = lambda prompt='Password: ', stream=None, **_: ask(prompt, True)
    def describe(error, name):
        chain = traceback.TracebackException.from_exception(error)
        def trim(each):
            frames = each.stack
            while frames and frames[0].filename == '<string>': del frames[0]
            for inner in (each.__cause__, each.__context__):
                if inner is not None: trim(inner)
        trim(chain)
        lines = [line for part in chain.format() for line in part.rstrip('\n').split('\n')]
        return {'ename': type(error).__name__, 'evalue': cut(str(error)), 'traceback': [cut(line) for line in lines]}
    def execute(code, name):
        linecache.cache[name] = (len(code), None, [line + '\n' for line in code.split('\n')], name)
        tree = ast.parse(code, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        flags = getattr(ast, 'PyCF_ALLOW_TOP_LEVEL_AWAIT', 0)
        for node, mode in ((tree, 'exec'), (last and ast.Expression(last.value), 'eval')):
            if node is None: continue
            compiled = compile(node, name, mode, flags)
            value = eval(compiled, space)
            if compiled.co_flags & 0x80:
                import asyncio
                value = asyncio.run(value)
        if last is None or value is None: return None
        space['_'] = value
        return cut(repr(value))
    def run(message):
        cell = message['run']
        state['running'] = cell
        state['count'] += 1
        state['asked'], state['takes'] = 0, message.get('input') is True
        name = 'cell-%d.py' % state['count']
        report = {}
        leave = None
        try:
            refresh()
            value = execute(message['code'], name)
            if value is not None: report['value'] = value
        except SystemExit as error:
            leave = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
            if leave == 1 and not isinstance(error.code, int): print(error.code, file=sys.stderr)
        except BaseException as error:
            report['error'] = describe(error, name)
        state['running'] = None
        if leave is not None:
            end_in_order(leave & 255, lambda: mark(message['mark'], leave & 255))
        state['last'] = dict(report, done=cell, count=state['count'])
        mark(message['mark'], 1 if 'error' in report else 0)
        send(state['last'])
    def enter(message):
        os.chdir(message['cwd'])
        os.environ.update(message['env'])
        send({'entered': True})
    def listen(server):
        while True:
            connection, _ = server.accept()
            with lock:
                if state['socket']: state['socket'].close()
                state['socket'] = connection
            send({'hello': token, 'running': state['running'], 'last': state['last'], 'input': state['input']})
            threading.Thread(target=receive, args=(connection,), daemon=True).start()
    def receive(connection):
        try:
            for line in connection.makefile('r', encoding='utf-8', newline='\n'):
                message = json.loads(line)
                if 'interrupt' in message:
                    if message['interrupt'] == state['running']: os.kill(os.getpid(), signal.SIGINT)
                elif 'answer' in message: answers.put(message['answer'])
                else: cells.put(message)
        except (OSError, ValueError): pass
    server = socket.socket(socket.AF_UNIX)
    server.bind(os.path.join(directory, 'control'))
    server.listen(8)
    threading.Thread(target=listen, args=(server,), daemon=True).start()
    mark(ready, 0)
    while True:
        try:
            message = cells.get()
            if 'run' in message: run(message)
            elif 'enter' in message: enter(message['enter'])
            elif 'leave' in message: end_in_order()
        except KeyboardInterrupt: pass
_svc_host()
`}`;
