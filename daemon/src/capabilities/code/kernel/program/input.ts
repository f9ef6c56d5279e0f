/** What `input()` says where no answer can come. */
export const NO_ANSWER =
  'input() has no answer: give answers ahead as stdin of POST /v2/code/execute, or run the cell there with async or as ' +
  'a stream, and answer its prompt by POST /v2/code/executions/{execution_id}/input';

/** Python: the text above, for `input()` in kernels and in plain interpreters. */
export const NO_ANSWER_TEXT = `
NO_ANSWER = ${JSON.stringify(NO_ANSWER)}
`;

/**
 * Python: `input()` and `getpass()` of a kernel. They show prompt and answer on stdout as a terminal does, and keep the
 * prompt that has no answer yet, for a daemon that was away (`svc_record_request`).
 */
export const INPUT = `
${NO_ANSWER_TEXT}
asked = {"number": 0, "request": None}


def take_input(app):
    import functools, sys
    from IPython.core.error import StdinNotImplementedError
    kernel = app.kernel

    def asking(ask, is_password):
        @functools.wraps(ask)
        def answer_of(prompt="", *args, **kwargs):
            if not kernel._allow_stdin:
                raise StdinNotImplementedError(NO_ANSWER)
            prompt = str(prompt)
            sys.stdout.write(prompt)
            asked["number"] += 1
            asked["request"] = {"prompt": prompt, "password": is_password, "number": asked["number"]}
            try:
                text = ask(prompt, *args, **kwargs)
            except EOFError:
                raise EOFError(NO_ANSWER) from None
            finally:
                asked["request"] = None
            sys.stdout.write("\\n" if is_password else text + "\\n")
            return text
        return answer_of

    kernel.raw_input = asking(kernel.raw_input, False)
    kernel.getpass = asking(kernel.getpass, True)
    app.shell.events.register("pre_run_cell", lambda *_: asked.update(number=0))
`;
