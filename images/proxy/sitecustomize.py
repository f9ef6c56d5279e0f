"""Has urllib, and what asks it, reach loopback addresses and the networks of no_proxy without a proxy: by itself it
compares names only. Costs nothing unless a proxy is set and urllib.request is imported."""


def _install():
    import os
    import sys

    if not any(name.lower().endswith("_proxy") for name in os.environ):
        return

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name != "urllib.request":
                return None
            sys.meta_path.remove(Finder)
            from importlib.util import find_spec

            spec = find_spec(name)
            load = spec.loader.exec_module

            def load_and_change(module):
                load(module)
                _change(module)

            spec.loader.exec_module = load_and_change
            return spec

    sys.meta_path.insert(0, Finder)


def _change(request):
    import ipaddress

    by_name = request.proxy_bypass_environment

    def is_direct(host, proxies):
        name = host[1 : host.index("]")] if host.startswith("[") else host
        if name.count(":") == 1:
            name = name.split(":")[0]
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or address.is_unspecified or any(address in each for each in networks(proxies))

    def networks(proxies):
        for entry in (proxies or request.getproxies_environment()).get("no", "").split(","):
            if "/" in entry:
                try:
                    yield ipaddress.ip_network(entry.strip(), strict=False)
                except ValueError:
                    continue

    def proxy_bypass_environment(host, proxies=None):
        return is_direct(host, proxies) or by_name(host, proxies)

    request.proxy_bypass_environment = proxy_bypass_environment
    request.proxy_bypass = proxy_bypass_environment


try:
    _install()
finally:
    del _install
