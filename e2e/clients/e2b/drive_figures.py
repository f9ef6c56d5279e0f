"""Reads figures, charts and frames by E2B's code interpreter; prints "passed". Configured by E2B_*."""

from e2b_code_interpreter import Sandbox
from e2b_code_interpreter.charts import BarChart, BoxAndWhiskerChart, LineChart, PieChart, ScatterChart, SuperChart
from passed import passed

CHARTS = {
    "plt.plot([1.0, 2.0], [3, 4], label='v')": LineChart,
    "plt.scatter([1, 2], [3, 4])": ScatterChart,
    "plt.bar(['a', 'b'], [1, 2])": BarChart,
    "plt.pie([1, 2], labels=['a', 'b'])": PieChart,
    "plt.boxplot([[1, 2, 3]], patch_artist=True)": BoxAndWhiskerChart,
    "plt.subplots(1, 2)[1][0].plot([1, 2])": SuperChart,
}


def main():
    sandbox = Sandbox.create(timeout=300)
    first = sandbox.run_code("import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()")
    assert len(first.results) == 1 and first.results[0].png and first.results[0].text, first
    for code, kind in CHARTS.items():
        (result,) = sandbox.run_code(f"_ = {code}\nplt.show()").results
        assert result.png and isinstance(result.chart, kind), (code, result.chart)
        if kind is LineChart:
            assert result.chart.elements[0].points == [(1.0, 3.0), (2.0, 4.0)]
            assert all(isinstance(tick, float) for tick in result.chart.x_ticks)
    (last,) = sandbox.run_code("fig, ax = plt.subplots()\nax.plot([1, 2])\nfig").results[:1]
    assert last.is_main_result and last.png and last.chart, last
    frame = sandbox.run_code("import pandas as pd\npd.DataFrame({'a': [1, 2], 'b': [0.5, None]})").results[0]
    assert frame.data == {"a": [1, 2], "b": [0.5, None]} and "<table" in frame.html and frame.text, frame
    assert sandbox.run_code("[1, {'a': 2.0}]").results[0].json == [1, {"a": 2.0}]
    sandbox.kill()
    passed()


main()
