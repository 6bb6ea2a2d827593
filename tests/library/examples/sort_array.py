# sort_array.py -- an example of libgsort in Python: sort an array, without NumPy.
# SPDX-License-Identifier: MIT
import array

import gsort

numbers = array.array("d", [3, 8, 1, 5, 2])
gsort.sort(numbers, out=numbers)
print(*("%g" % number for number in numbers))
