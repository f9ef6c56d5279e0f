/**
 * Python: `import_paths()` notes where modules are found now, and returns `refresh()`, which makes what was installed
 * since then importable, as in a new interpreter: directories of packages that have appeared (PYTHONUSERBASE may have
 * changed, a `pip install --user` may have been the first), new `.pth` files, as of editable installs, and modules in
 * directories that were listed before. It answers whether anything has changed; a call takes some 50 µs. An import that
 * fails calls it too, so that a cell can install and import. For any Python 3.
 */
export const IMPORT_PATHS = String.raw`
def import_paths():
    import importlib, os, sys, time
    try:
        import site
        system = list(site.getsitepackages())
    except Exception:
        site, system = None, []
    base, user, stamps, links = [None], [], {}, {}

    def places():
        wanted = (os.environ.get("PYTHONUSERBASE"), os.environ.get("HOME"))
        if site is not None and site.ENABLE_USER_SITE and wanted != base[0]:
            base[0] = wanted
            site.USER_BASE = site.USER_SITE = None
            user[:] = [site.getusersitepackages()]
        return user + system

    def stamp_of(path):
        try:
            found = os.stat(path or ".")
        except OSError:
            return None
        return (found.st_mtime_ns, found.st_ino, getattr(found, "st_size", 0))

    def has_changed(path):
        # A change within the resolution of the clock of files leaves the time as it was: a young one is looked at again.
        stamp = stamp_of(path)
        has_been = path in stamps and stamps[path] == stamp
        is_young = stamp is not None and abs(time.time_ns() - stamp[0]) < 2000000000
        stamps[path] = ("young", stamp) if is_young else stamp
        return not has_been

    def links_of(place):
        try:
            names = sorted(name for name in os.listdir(place) if name.endswith(".pth") and not name.startswith("."))
        except OSError:
            names = []
        return [(name, stamp_of(os.path.join(place, name))) for name in names]

    def add(place, later):
        # The order of a new interpreter: the account's own directory, then those of all accounts.
        known = list(sys.path)
        site.addsitedir(place)
        found = [entry for entry in sys.path if entry not in known]
        at = min((known.index(entry) for entry in later if entry in known), default=len(known))
        sys.path[:] = known[:at] + found + known[at:]
        links[place] = links_of(place)

    def add_links(place):
        found = links_of(place)
        for name, stamp in found:
            if (name, stamp) not in links.get(place, ()):
                site.addpackage(place, name, None)
        links[place] = found

    def refresh():
        is_changed, wanted = False, places()
        for at, place in enumerate(wanted):
            if not has_changed(place) or stamps[place] is None:
                continue
            is_changed = True
            try:
                if place in sys.path:
                    add_links(place)
                else:
                    add(place, wanted[at + 1:])
            except Exception:
                pass
        for entry in list(sys.path):
            if isinstance(entry, str) and entry not in wanted and has_changed(entry):
                is_changed = True
        if is_changed:
            importlib.invalidate_caches()
        return is_changed

    class Installed:
        # The last finder: what it is asked for was not there when the cell began.
        is_asked = False

        @classmethod
        def find_spec(cls, name, path=None, target=None):
            if cls.is_asked:
                return None
            cls.is_asked = True
            try:
                if not refresh():
                    return None
                found = (finder.find_spec(name, path, target) for finder in list(sys.meta_path) if finder is not cls)
                return next((spec for spec in found if spec is not None), None)
            finally:
                cls.is_asked = False

    for place in places():
        if place in sys.path:
            has_changed(place)
            links[place] = links_of(place)
    for entry in list(sys.path):
        has_changed(entry)
    sys.meta_path.append(Installed)
    return refresh
`;
