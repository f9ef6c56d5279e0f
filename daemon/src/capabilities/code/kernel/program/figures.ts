/**
 * Python: figures of matplotlib are pictures as in a notebook, also if matplotlib was imported before the kernel was
 * forked, and if the package matplotlib_inline is missing. A figure that its cell has displayed is not shown again at
 * the end of the cell, unless it has changed since. An existing MPLBACKEND and a backend that code chooses win.
 */
export const FIGURES = String.raw`
INLINE = "matplotlib_inline.backend_inline"


def has_module(name):
    import importlib.util
    try:
        return importlib.util.find_spec(name) is not None
    except Exception:
        return False


def prepare_figures():
    # Before matplotlib is imported, which reads the variable.
    import os
    if not os.environ.get("MPLBACKEND"):
        os.environ["MPLBACKEND"] = "module://" + (INLINE if has_module("matplotlib_inline") else "svc_figures")


def forget_backend():
    # When it is imported it registers with the shell of its process, which a process that forks kernels does not have.
    import sys
    if sys.modules.pop(INLINE, None) is not None:
        vars(sys.modules["matplotlib_inline"]).pop("backend_inline", None)


def figures(app):
    import importlib, os, sys
    shell = app.shell
    if os.environ.get("MPLBACKEND") == "module://" + INLINE and not has_module("matplotlib_inline"):
        os.environ["MPLBACKEND"] = "module://svc_figures"
    is_ours = os.environ.get("MPLBACKEND") == "module://svc_figures"
    shell.display_formatter.formatters["image/png"].for_type_by_name("matplotlib.figure", "Figure", picture)
    show_once(shell)
    if is_ours:
        own_backend(shell)
    if "matplotlib.pyplot" in sys.modules:
        import matplotlib
        if matplotlib.get_backend() in ("inline", "module://" + INLINE):
            importlib.import_module(INLINE)


def picture(figure):
    from IPython.core.pylabtools import print_figure
    return print_figure(figure, "png")


def show_once(shell):
    shown, state = set(), {"ends": False}
    publish, write = shell.display_pub.publish, shell.displayhook.write_format_data

    def begin(*_):
        shown.clear()
        state["ends"] = False

    def end(*_):
        state["ends"] = True

    def is_new(data):
        image = data.get("image/png") if isinstance(data, dict) else None
        if image is None:
            return True
        if state["ends"]:
            return hash(image) not in shown
        shown.add(hash(image))
        return True

    def publish_once(data, *args, **kwargs):
        if is_new(data):
            return publish(data, *args, **kwargs)

    def write_noted(data, *args, **kwargs):
        is_new(data)
        return write(data, *args, **kwargs)

    shell.display_pub.publish = publish_once
    shell.displayhook.write_format_data = write_noted
    shell.events.register("pre_execute", begin)
    # The backend registers later, so that its pictures come after this.
    shell.events.register("post_execute", end)


def own_backend(shell):
    import importlib.machinery, sys

    def show(*_, **__):
        from IPython.display import display
        from matplotlib import pyplot
        for number in pyplot.get_fignums():
            display(pyplot.figure(number))
        pyplot.close("all")

    class Loader:
        @staticmethod
        def find_spec(name, path=None, target=None):
            return importlib.machinery.ModuleSpec(name, Loader) if name == "svc_figures" else None

        @staticmethod
        def create_module(spec):
            return None

        @staticmethod
        def exec_module(module):
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            module.FigureCanvas = FigureCanvasAgg
            module.show = show

    def show_rest():
        if "svc_figures" in sys.modules and sys.modules["matplotlib"].get_backend() == "module://svc_figures":
            show()

    sys.meta_path.append(Loader)
    shell.events.register("post_execute", show_rest)
`;
