/**
 * Python: `chart_of(figure)` is a figure of matplotlib as E2B's clients read charts: its kind, labels, scales and
 * values. Undefined (`None`): nothing was drawn. Needs `VALUES` and `TooMuch`.
 */
export const CHARTS = String.raw`
def chart_of(figure):
    axes = [one for one in figure.get_axes() if one.get_label() != "<colorbar>"]
    if not any(one.has_data() for one in axes):
        return None
    charts = [chart_in(one) for one in axes]
    if len(charts) == 1:
        return charts[0]
    title = getattr(figure, "_suptitle", None)
    return {"type": "superchart", "title": title.get_text() if title else None, "elements": charts}


def chart_in(axes):
    kind = kind_of(axes)
    chart = {"type": kind, "title": axes.get_title() or None, "elements": []}
    if kind in ("unknown", "pie"):
        chart["elements"] = [slice_of(one) for one in axes.patches] if kind == "pie" else []
        return chart
    along, across = ("y", "x") if is_turned(axes, kind) else ("x", "y")
    for to, of in (("x", along), ("y", across)):
        label = getattr(axes, "get_%slabel" % of)() or None
        chart.update({to + "_label": label, to + "_unit": unit_of(label)})
    if kind == "bar":
        chart["elements"] = [bar for group in axes.containers for bar in bars_of(axes, group)]
    elif kind == "box_and_whisker":
        chart["elements"] = boxes_of(axes)
    else:
        chart.update(scale_of(axes.xaxis, "x"), **scale_of(axes.yaxis, "y"))
        chart["elements"] = list(lines_of(axes) if kind == "line" else clouds_of(axes))
    return chart


def kind_of(axes):
    from matplotlib import collections, lines, patches
    drawn = [*axes.lines, *axes.collections, *axes.patches, *axes.images]
    if any(isinstance(one, patches.PathPatch) for one in drawn):
        is_box = all(isinstance(one, (patches.PathPatch, lines.Line2D)) for one in drawn)
        return "box_and_whisker" if is_box else "unknown"
    drawn = [one for one in drawn if not is_rule(axes, one)]
    kinds = {"line": lines.Line2D, "scatter": collections.PathCollection}
    kinds.update(pie=patches.Wedge, bar=patches.Rectangle)
    return next((name for name, kind in kinds.items() if all(isinstance(one, kind) for one in drawn)), "unknown")


def is_rule(axes, drawn):
    # A line across the axes, as axhline draws it.
    from matplotlib.lines import Line2D
    return isinstance(drawn, Line2D) and drawn.get_transform() != axes.transData


def is_turned(axes, kind):
    if kind == "bar":
        return any(getattr(one, "orientation", None) == "horizontal" for one in axes.containers)
    return kind == "box_and_whisker" and not stands(axes)


def unit_of(label):
    import re
    found = re.search(r"[(\[]([^()\[\]]+)[)\]]", label or "")
    return found.group(1) if found else None


def rounded(value, digits=12):
    return float("%.*g" % (digits, value))


def slice_of(wedge):
    # Angles are computed in single precision.
    return {"label": wedge.get_label(), "angle": rounded(abs(wedge.theta2 - wedge.theta1), 7), "radius": float(wedge.r)}


def ticks_of(axis):
    return [(float(at), label.get_text()) for at, label in zip(axis.get_majorticklocs(), axis.get_majorticklabels())]


def has_names(axis):
    # Its ticks were given names; else they are numbers or dates.
    from matplotlib import category, ticker
    named = (category.StrCategoryFormatter, ticker.FixedFormatter, ticker.FuncFormatter)
    return isinstance(axis.get_major_formatter(), named)


def name_at(axis, at):
    ticks = ticks_of(axis)
    near = min(ticks, key=lambda tick: abs(tick[0] - at), default=None)
    if near and abs(near[0] - at) <= (0.5 if has_names(axis) else 1e-9):
        return near[1]
    return values_on(axis, [at])[0] if is_dated(axis) else "%g" % at


def bars_of(axes, group):
    label, is_flat = group.get_label(), getattr(group, "orientation", None) == "horizontal"
    if label.startswith("_container"):
        label = "Group " + label[len("_container"):]
    for bar in group:
        middle = (bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height() / 2)
        name = name_at(axes.yaxis, middle[1]) if is_flat else name_at(axes.xaxis, middle[0])
        yield {"label": name, "group": label, "value": float(bar.get_width() if is_flat else bar.get_height())}


def extent_of(box):
    points = box.get_path().vertices
    (left, low), (right, high) = points.min(axis=0), points.max(axis=0)
    return float(left), float(right), float(low), float(high)


def strokes_of(axes):
    return [[(float(x), float(y)) for x, y in line.get_xydata()] for line in axes.lines]


def stands(axes):
    # Whiskers of boxes that stand are upright, in the middle of the box.
    def is_middle(stroke, box):
        left, right, _, _ = extent_of(box)
        return len(stroke) == 2 and all(abs(x - (left + right) / 2) < 1e-9 for x, _ in stroke)
    return any(is_middle(stroke, box) for stroke in strokes_of(axes) for box in axes.patches)


def boxes_of(axes):
    is_upright = stands(axes)
    strokes = [[p if is_upright else p[::-1] for p in stroke] for stroke in strokes_of(axes)]
    extents = [extent_of(box) for box in axes.patches]
    boxes = [extent if is_upright else (*extent[2:], *extent[:2]) for extent in extents]
    axis = axes.xaxis if is_upright else axes.yaxis
    return [box_of(name_at(axis, (box[0] + box[1]) / 2), box, strokes) for box in boxes]


def box_of(label, box, strokes):
    left, right, low, high = box
    inside = [s for s in strokes if s and all(left - 1e-9 <= x <= right + 1e-9 for x, _ in s)]
    flat = [s for s in inside if len(s) == 2 and s[0][1] == s[1][1] and abs(s[1][0] - s[0][0]) >= (right - left) * 0.99]
    upright = [s for s in inside if len(s) == 2 and s[0][0] == s[1][0] and {low, high} & {s[0][1], s[1][1]}]
    ends = [y for s in upright for _, y in s] + [low, high]
    alone = [y for s in inside if len({x for x, _ in s}) == 1 and s not in upright for _, y in s]
    values = {"min": min(ends), "first_quartile": low, "third_quartile": high, "max": max(ends)}
    values["median"] = next((s[0][1] for s in flat if low <= s[0][1] <= high), (low + high) / 2)
    outliers = [rounded(y) for y in alone if y < min(ends) or y > max(ends)]
    return {"label": label, **{name: rounded(value) for name, value in values.items()}, "outliers": outliers}


def converter_of(axis):
    return axis.get_converter() if hasattr(axis, "get_converter") else axis.converter


def is_dated(axis):
    # Periods of pandas are numbers of periods, not of days.
    converter = type(converter_of(axis))
    return "Date" in converter.__name__ and "Period" not in converter.__name__


def values_on(axis, places):
    from numbers import Real
    from matplotlib.dates import num2date
    if len(places) > VALUES:
        raise TooMuch
    number = (lambda at: num2date(at).isoformat()) if is_dated(axis) else float
    return [number(at) if isinstance(at, Real) else at for at in places]


def scale_of(axis, name):
    ticks = ticks_of(axis)
    scale = "datetime" if is_dated(axis) else axis.get_scale()
    if scale == "linear" and has_names(axis):
        scale = "categorical"
    return {
        name + "_ticks": values_on(axis, [at for at, _ in ticks]),
        name + "_tick_labels": [label for _, label in ticks],
        name + "_scale": scale,
    }


def lines_of(axes):
    for line in axes.lines:
        label = line.get_label()
        if label.startswith("_child"):
            label = "Line " + label[len("_child"):]
        if not is_rule(axes, line):
            yield points_of(axes, label, line.get_xdata(), line.get_ydata())


def clouds_of(axes):
    for cloud in axes.collections:
        points = cloud.get_offsets().tolist()
        yield points_of(axes, cloud.get_label(), [x for x, _ in points], [y for _, y in points])


def points_of(axes, label, xs, ys):
    return {"label": label, "points": list(zip(values_on(axes.xaxis, xs), values_on(axes.yaxis, ys)))}
`;
