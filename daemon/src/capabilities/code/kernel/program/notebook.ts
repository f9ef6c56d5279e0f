/** Python: what works in a notebook, or in a script, works in a cell: `asyncio.run`, magics without warnings. */
export const NOTEBOOK = String.raw`
def notebook(app):
    import warnings
    warnings.filterwarnings("ignore", message=".*pickleshare.*")
    nested_loops()


def nested_loops():
    # The kernel runs cells in its own event loop, beside which a program of asyncio has another one.
    import asyncio, functools
    from asyncio import base_events, events, tasks
    run = asyncio.run

    @functools.wraps(run)
    def run_beside(main, *args, **kwargs):
        outer = events._get_running_loop()
        if outer is None:
            return run(main, *args, **kwargs)
        swap = getattr(tasks, "_swap_current_task", None)
        task = swap(outer, None) if swap else None
        events._set_running_loop(None)
        try:
            return run(main, *args, **kwargs)
        finally:
            events._set_running_loop(outer)
            asyncio.set_event_loop(outer)
            if swap:
                swap(outer, task)

    asyncio.run = asyncio.runners.run = run_beside
    until = base_events.BaseEventLoop.run_until_complete

    @functools.wraps(until)
    def run_until_complete(self, future):
        if self.is_running() and not self.is_closed():
            if asyncio.iscoroutine(future):
                future.close()
            raise RuntimeError("This event loop is already running: in a cell use await, or asyncio.run()")
        return until(self, future)

    base_events.BaseEventLoop.run_until_complete = run_until_complete
`;
