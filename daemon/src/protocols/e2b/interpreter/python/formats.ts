import { CHARTS } from './charts.ts';
import { PICTURES } from './pictures.ts';

/** MIME types of JSON as text, so that numbers keep their precision and whether they are whole. */
export const JSON_TEXTS: Readonly<Record<string, string>> = {
  'e2b/data': 'data',
  'e2b/chart': 'chart',
  'e2b/json': 'json',
};

/** Values of a frame, a list or a chart, above which it has no representation beside text, HTML and picture. */
const VALUES = 200_000;

/**
 * Python: charts of figures, data of frames, and JSON of lists and dictionaries, as E2B's clients read them. A kernel
 * that cannot have them runs its cells without them.
 */
const FORMATS = String.raw`
${CHARTS}
${PICTURES}

VALUES = ${VALUES}


class TooMuch(Exception):
    pass


def plain(value, is_strict, room):
    import datetime, math
    room[0] -= 1
    if room[0] < 0:
        raise TooMuch
    if value is None or isinstance(value, (bool, str)):
        return value
    if hasattr(value, "tolist"):
        return plain(value.tolist(), is_strict, room)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key_of(key, is_strict): plain(each, is_strict, room) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each, is_strict, room) for each in value]
    if is_strict:
        raise TypeError
    if isinstance(value, datetime.date):
        return value.isoformat() if value == value else None
    return None if value != value else str(value)


def key_of(key, is_strict):
    if is_strict and not isinstance(key, (str, int, float, bool, type(None))):
        raise TypeError
    return str(key)


def as_text(value_of, is_strict=False):
    def text_of(value):
        import json
        try:
            found = value_of(value)
            return None if found is None else json.dumps(plain(found, is_strict, [VALUES]))
        except Exception:
            return None
    return text_of


def data_of(frame):
    # The columns, in one step: a whole frame of that size would hold the interpreter.
    if frame.size > VALUES:
        return None
    return frame.to_dict(orient="list")


def add_formats():
    from IPython import get_ipython
    from IPython.core.formatters import BaseFormatter
    from traitlets import ObjectName, Unicode
    display = get_ipython().display_formatter

    # By name: the packages may be installed later. IPython forgets what is registered for figures.
    def add(name, kinds, text_of):
        class Json(BaseFormatter):
            format_type = Unicode("e2b/" + name)
            print_method = ObjectName("_repr_e2b_%s_" % name)
            _return_type = (str, dict)

            def __call__(self, value):
                is_known = any((kind.__module__, kind.__name__) in kinds for kind in type(value).__mro__)
                return text_of(value) if is_known else super().__call__(value)

        display.formatters["e2b/" + name] = Json(parent=display)

    add("chart", [("matplotlib.figure", "Figure")], as_text(chart_of))
    add("data", [("pandas", "DataFrame"), ("pandas.core.frame", "DataFrame")], as_text(data_of))
    add("json", [("builtins", "dict"), ("builtins", "list")], as_text(lambda value: value, is_strict=True))


for part in (add_formats, display_pictures):
    try:
        part()
    except Exception:
        pass
`;

/** Python that adds the formats to a kernel and leaves no name behind; to run it twice has no effect. */
export const ADD_FORMATS = `exec(compile(${JSON.stringify(FORMATS)}, "<e2b>", "exec"), {"__name__": "e2b_formats"})`;
