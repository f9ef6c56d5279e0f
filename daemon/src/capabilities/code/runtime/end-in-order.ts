/**
 * Python: `end_in_order(code, last)` ends the process as an interpreter ends: exit handlers, then what open files still
 * hold, then `last`. It leaves out the removal of modules, which takes longer than all of that, and does not wait for
 * threads, one of which could keep the handlers from running.
 */
export const END_IN_ORDER = String.raw`
def end_in_order(code=0, last=lambda: None):
    import atexit, gc, io, os, sys
    try:
        atexit._run_exitfuncs()
    except BaseException:
        pass
    for each in gc.get_objects():
        try:
            if issubclass(type(each), (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)) and not each.closed:
                each.flush()
        except BaseException:
            pass
    try:
        last()
    finally:
        os._exit(code)
`;
