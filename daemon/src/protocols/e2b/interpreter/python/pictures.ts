/**
 * Python: pictures of PIL are displayed when they are shown, and when they are saved under a name, as E2B's clients
 * expect; the machine may have no display.
 */
export const PICTURES = String.raw`
def display_pictures():
    import sys
    if "PIL.Image" in sys.modules:
        return change_pictures(sys.modules["PIL.Image"])
    # The package is seldom imported, and may be installed later.
    sys.meta_path.insert(0, PictureFinder())


class PictureFinder:
    def find_spec(self, name, path=None, target=None):
        if name != "PIL.Image":
            return None
        import importlib.util, sys
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None:
            spec.loader = PictureLoader(spec.loader)
        return spec


class PictureLoader:
    def __init__(self, loader):
        self.loader = loader

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        self.loader.exec_module(module)
        change_pictures(module)


def change_pictures(module):
    import functools
    kind = module.Image
    if hasattr(kind.save, "is_displayed"):
        return
    save = kind.save

    @functools.wraps(save)
    def save_displayed(self, fp, *args, **kwargs):
        done = save(self, fp, *args, **kwargs)
        if isinstance(fp, str):
            show(self)
        return done

    save_displayed.is_displayed = True
    kind.save, kind.show = save_displayed, show


def show(picture, *args, **kwargs):
    from IPython.display import display
    try:
        display(picture)
    except Exception:
        pass
`;
