import type { EvalItem } from '../../../domain/batch/eval-item.js';
import { pythonTask } from './golden-task.js';

export const pythonTasks: readonly EvalItem[] = [
  pythonTask({
    id: 'py-mutable-default-001',
    description: `
In basket.py, two baskets that are created without items share one list. Every basket needs its own list, and a list that
is passed in must not change when something is added to the basket.
`,
    difficulty: 'easy',
    tags: ['mutable-default'],
    files: {
      'basket.py': `
class Basket:
    def __init__(self, items=[]):
        self.items = items

    def add(self, item):
        self.items.append(item)

    def count(self):
        return len(self.items)
`.trimStart(),
    },
    solution: {
      'basket.py': `
class Basket:
    def __init__(self, items=()):
        self.items = list(items)

    def add(self, item):
        self.items.append(item)

    def count(self):
        return len(self.items)
`.trimStart(),
    },
    tests: `
import unittest

from basket import Basket


class BasketTest(unittest.TestCase):
    def test_baskets_share_nothing(self):
        Basket().add("apple")
        self.assertEqual(Basket().count(), 0)

    def test_a_given_list_stays(self):
        given = ["apple"]
        Basket(given).add("pear")
        self.assertEqual(given, ["apple"])

    def test_counts(self):
        basket = Basket(["apple"])
        basket.add("pear")
        self.assertEqual((basket.count(), basket.items), (2, ["apple", "pear"]))
`.trimStart(),
    failToPass: ['test_baskets_share_nothing', 'test_a_given_list_stays'],
    passToPass: ['test_counts'],
  }),
  pythonTask({
    id: 'py-month-end-001',
    description: `
add_months in billing.py fails for the last days of a month: one month after January 31 there is no day 31. In that case
it should return the last day of the month. Months may be negative. In due_dates, every date has to be computed from the
start date, so that a subscription that starts on January 31 is due on February 28 and then on March 31.
`,
    difficulty: 'medium',
    tags: ['dates'],
    files: {
      'billing.py': `
from datetime import date


def add_months(day: date, months: int) -> date:
    month = day.month + months
    year = day.year + month // 12
    return date(year, month % 12, day.day)


def due_dates(start: date, count: int) -> list[date]:
    dates = []
    day = start
    for _ in range(count):
        day = add_months(day, 1)
        dates.append(day)
    return dates
`.trimStart(),
    },
    solution: {
      'billing.py': `
from calendar import monthrange
from datetime import date


def add_months(day: date, months: int) -> date:
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def due_dates(start: date, count: int) -> list[date]:
    return [add_months(start, months) for months in range(1, count + 1)]
`.trimStart(),
    },
    tests: `
import unittest
from datetime import date

from billing import add_months, due_dates


class BillingTest(unittest.TestCase):
    def test_last_day_of_a_shorter_month(self):
        self.assertEqual(add_months(date(2023, 1, 31), 1), date(2023, 2, 28))
        self.assertEqual(add_months(date(2024, 1, 30), 1), date(2024, 2, 29))

    def test_december(self):
        self.assertEqual(add_months(date(2023, 11, 5), 1), date(2023, 12, 5))
        self.assertEqual(add_months(date(2023, 12, 5), 12), date(2024, 12, 5))

    def test_backwards(self):
        self.assertEqual(add_months(date(2024, 3, 31), -1), date(2024, 2, 29))
        self.assertEqual(add_months(date(2024, 1, 15), -13), date(2022, 12, 15))

    def test_due_dates_count_from_the_start(self):
        days = due_dates(date(2023, 1, 31), 3)
        self.assertEqual(days, [date(2023, 2, 28), date(2023, 3, 31), date(2023, 4, 30)])

    def test_an_ordinary_day(self):
        self.assertEqual(add_months(date(2023, 1, 15), 2), date(2023, 3, 15))
        self.assertEqual(add_months(date(2023, 10, 1), 3), date(2024, 1, 1))
`.trimStart(),
    failToPass: [
      'test_last_day_of_a_shorter_month',
      'test_december',
      'test_backwards',
      'test_due_dates_count_from_the_start',
    ],
    passToPass: ['test_an_ordinary_day'],
  }),
  pythonTask({
    id: 'py-recursion-limit-001',
    description: `
flatten in nested.py fails with a RecursionError for lists that are nested 100,000 levels deep, as some of our exports
are. Make it work at any depth without raising Python's recursion limit. It flattens lists and tuples and nothing else:
strings and dictionaries stay as they are.
`,
    difficulty: 'medium',
    tags: ['recursion'],
    files: {
      'nested.py': `
def flatten(value):
    """flatten([1, [2, (3,)]]) is [1, 2, 3]."""
    flat = []
    for item in value:
        if isinstance(item, (list, tuple)):
            flat.extend(flatten(item))
        else:
            flat.append(item)
    return flat
`.trimStart(),
    },
    solution: {
      'nested.py': `
def flatten(value):
    """flatten([1, [2, (3,)]]) is [1, 2, 3]."""
    flat = []
    open_lists = [iter(value)]
    while open_lists:
        for item in open_lists[-1]:
            if isinstance(item, (list, tuple)):
                open_lists.append(iter(item))
                break
            flat.append(item)
        else:
            open_lists.pop()
    return flat
`.trimStart(),
    },
    tests: `
import sys
import unittest

from nested import flatten


def nest(depth):
    value = ["core"]
    for _ in range(depth):
        value = [value]
    return value


class FlattenTest(unittest.TestCase):
    def test_deep_lists(self):
        limit = sys.getrecursionlimit()
        value = nest(100_000)
        value.append("end")
        self.assertEqual(flatten(value), ["core", "end"])
        self.assertEqual(sys.getrecursionlimit(), limit)

    def test_order_and_kinds(self):
        self.assertEqual(flatten([1, [2, (3, [])], "ab", {"k": [1]}, 4]), [1, 2, 3, "ab", {"k": [1]}, 4])
        self.assertEqual(flatten([]), [])
`.trimStart(),
    failToPass: ['test_deep_lists'],
    passToPass: ['test_order_and_kinds'],
  }),
  pythonTask({
    id: 'py-split-bill-001',
    description: `
split_bill in bill.py loses cents: 10.00 split three ways is 3.33 each, and 0.01 is lost. Amounts are strings with two
decimal places, both as input and as output. The shares have to add up to the amount; if it can't be split evenly, the
first people pay one cent more. Splitting among no people is a ValueError. Do not use floating point: large amounts must
be exact, too.
`,
    difficulty: 'medium',
    tags: ['numbers'],
    files: {
      'bill.py': `
def split_bill(amount: str, people: int) -> list[str]:
    share = float(amount) / people
    return [f"{share:.2f}" for _ in range(people)]
`.trimStart(),
    },
    solution: {
      'bill.py': `
from decimal import Decimal


def split_bill(amount: str, people: int) -> list[str]:
    if people < 1:
        raise ValueError(f"{people} people can't pay a bill")
    cents = int(Decimal(amount).scaleb(2))
    share, rest = divmod(cents, people)
    return [format_cents(share + (index < rest)) for index in range(people)]


def format_cents(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"
`.trimStart(),
    },
    tests: `
import unittest

from bill import split_bill


class SplitBillTest(unittest.TestCase):
    def test_the_first_pay_the_rest(self):
        self.assertEqual(split_bill("10.00", 3), ["3.34", "3.33", "3.33"])
        self.assertEqual(split_bill("0.02", 3), ["0.01", "0.01", "0.00"])

    def test_large_amounts_are_exact(self):
        self.assertEqual(split_bill("90071992547409.93", 1), ["90071992547409.93"])
        self.assertEqual(split_bill("9007199254740993.01", 1), ["9007199254740993.01"])

    def test_nobody_is_an_error(self):
        with self.assertRaises(ValueError):
            split_bill("10.00", 0)

    def test_even_shares(self):
        self.assertEqual(split_bill("10.00", 4), ["2.50"] * 4)
`.trimStart(),
    failToPass: ['test_the_first_pay_the_rest', 'test_large_amounts_are_exact', 'test_nobody_is_an_error'],
    passToPass: ['test_even_shares'],
  }),
  pythonTask({
    id: 'py-merge-intervals-001',
    description: `
merge in intervals.py merges intervals that overlap or touch, such as (1, 3) and (3, 5). It compares only neighbours in the
given order, loses part of an interval that contains the next one, and modifies the list that it is given. The result has
to be sorted.
`,
    difficulty: 'easy',
    tags: ['algorithms'],
    files: {
      'intervals.py': `
def merge(intervals):
    merged = []
    while intervals:
        start, end = intervals.pop(0)
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged
`.trimStart(),
    },
    solution: {
      'intervals.py': `
def merge(intervals):
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
`.trimStart(),
    },
    tests: `
import unittest

from intervals import merge


class MergeTest(unittest.TestCase):
    def test_any_order(self):
        self.assertEqual(merge([(6, 8), (1, 3), (2, 4)]), [(1, 4), (6, 8)])

    def test_one_within_another(self):
        self.assertEqual(merge([(1, 9), (2, 3)]), [(1, 9)])

    def test_touching(self):
        self.assertEqual(merge([(1, 3), (3, 5)]), [(1, 5)])

    def test_the_given_list_stays(self):
        given = [(1, 2)]
        merge(given)
        self.assertEqual(given, [(1, 2)])

    def test_apart(self):
        self.assertEqual(merge([(1, 2), (4, 5)]), [(1, 2), (4, 5)])
        self.assertEqual(merge([]), [])
`.trimStart(),
    failToPass: ['test_any_order', 'test_one_within_another', 'test_touching', 'test_the_given_list_stays'],
    passToPass: ['test_apart'],
  }),
];
