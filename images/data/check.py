"""Uses each library of the data layer once. The build of the image runs it, and its test."""
import io
import tempfile

import ipywidgets
import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt
import numpy as np
import openpyxl
import pandas as pd
import PIL.Image
from scipy import integrate, linalg, optimize, stats

# numpy and scipy, with LAPACK
a = np.array([[4.0, 1.0], [1.0, 3.0]])
assert np.allclose(linalg.solve(a, [1, 2]), np.linalg.inv(a) @ [1, 2])
assert abs(optimize.brentq(lambda x: x * x - 2, 0, 2) - 2**0.5) < 1e-9
assert abs(integrate.quad(np.sin, 0, np.pi)[0] - 2) < 1e-9
assert stats.ttest_ind([1, 2, 3, 4], [11, 12, 13, 14]).pvalue < 0.001

# pandas and openpyxl: a workbook with a sum, written and read
with tempfile.TemporaryDirectory() as directory:
    book = f'{directory}/sales.xlsx'
    table = pd.DataFrame({'month': ['Jan', 'Feb', 'Jan'], 'sold': [3, 4, 5]})
    table.groupby('month', as_index=False).sum().to_excel(book, index=False)
    assert openpyxl.load_workbook(book).active['B3'].value == 8
    assert pd.read_excel(book).set_index('month').loc['Jan', 'sold'] == 8

# matplotlib and pillow: a figure whose line has its colour
figure, axes = plt.subplots(figsize=(4, 3), dpi=100)
axes.plot([0, 1], [0, 0], color='#ff0000', linewidth=20)
axes.set_title('sold')
picture = io.BytesIO()
figure.savefig(picture, format='png')
image = PIL.Image.open(picture).convert('RGB')
assert image.size == (400, 300)
assert (255, 0, 0) in image.getdata()
small = io.BytesIO()
image.resize((40, 30)).save(small, format='JPEG')
assert PIL.Image.open(small).format == 'JPEG'

# ipywidgets
assert ipywidgets.IntSlider(value=3).value == 3
print('the data layer works')
