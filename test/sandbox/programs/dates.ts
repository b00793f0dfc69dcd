import type { Program } from './program.ts';

export const datesPrograms: readonly Program[] = [
  {
    name: 'days between two dates',
    code: `
from datetime import date
(date(2024, 3, 1) - date(2023, 12, 25)).days
`,
    value: '67',
  },
  {
    name: 'the weekday of a date',
    code: `
from datetime import date
date(1969, 7, 20).strftime('%A %d %B %Y')
`,
    value: "'Sunday 20 July 1969'",
  },
  {
    name: 'adding months at the end of a month',
    code: `
import calendar
from datetime import date
def add_months(d, n):
    y, m = divmod(d.year * 12 + d.month - 1 + n, 12)
    return date(y, m + 1, min(d.day, calendar.monthrange(y, m + 1)[1]))
str(add_months(date(2024, 1, 31), 1))
`,
    value: "'2024-02-29'",
  },
  {
    name: 'leap years',
    code: `
import calendar
[y for y in range(1896, 1913) if calendar.isleap(y)]
`,
    value: '[1896, 1904, 1908, 1912]',
  },
  {
    name: 'iso weeks',
    code: `
from datetime import date
tuple(date(2021, 1, 3).isocalendar())
`,
    value: '(2020, 53, 7)',
  },
  {
    name: 'parsing a timestamp',
    code: `
from datetime import datetime
str(datetime.fromisoformat('2024-02-29T13:45:30.250+02:00').utcoffset())
`,
    value: "'2:00:00'",
  },
  {
    name: 'parsing by a format',
    code: `
from datetime import datetime
datetime.strptime('03/Feb/2021 07:08', '%d/%b/%Y %H:%M').isoformat()
`,
    value: "'2021-02-03T07:08:00'",
  },
  {
    name: 'seconds since the epoch',
    code: `
from datetime import datetime, timezone
datetime(2001, 9, 9, 1, 46, 40, tzinfo=timezone.utc).timestamp()
`,
    value: '1000000000.0',
  },
  {
    name: 'a time zone with summer time',
    code: `
from datetime import datetime
from zoneinfo import ZoneInfo
[datetime(2024, m, 1, 12, tzinfo=ZoneInfo('America/New_York')).utcoffset().total_seconds() / 3600 for m in (1, 7)]
`,
    value: '[-5.0, -4.0]',
  },
  {
    name: 'between time zones',
    code: `
from datetime import datetime
from zoneinfo import ZoneInfo
datetime(2024, 10, 27, 2, 30, tzinfo=ZoneInfo('Europe/Berlin')).astimezone(ZoneInfo('Asia/Tokyo')).isoformat()
`,
    value: "'2024-10-27T09:30:00+09:00'",
  },
  {
    name: 'the length of a day when the clocks change',
    code: `
from datetime import datetime, timezone
from zoneinfo import ZoneInfo
b = ZoneInfo('Europe/London')
midnight = lambda day: datetime(2024, 3, day, tzinfo=b).astimezone(timezone.utc)
str(midnight(31) - midnight(30)), str(datetime(2024, 4, 1, tzinfo=b).astimezone(timezone.utc) - midnight(31))
`,
    value: "('1 day, 0:00:00', '23:00:00')",
  },
  {
    name: 'differences with microseconds',
    code: `
from datetime import timedelta
str(timedelta(days=1, hours=25, seconds=61, milliseconds=5))
`,
    value: "'2 days, 1:01:01.005000'",
  },
  {
    name: 'business days',
    code: `
from datetime import date, timedelta
start = date(2024, 5, 1)
sum((start + timedelta(n)).weekday() < 5 for n in range(31))
`,
    value: '23',
  },
  {
    name: 'fridays the thirteenth',
    code: `
from datetime import date
[date(2026, m, 13).isoformat() for m in range(1, 13) if date(2026, m, 13).weekday() == 4]
`,
    value: "['2026-02-13', '2026-03-13', '2026-11-13']",
  },
  {
    name: 'easter',
    code: `
def easter(y):
    a, b, c = y % 19, y // 100, y % 100
    d = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    e = (32 + 2 * (b % 4) + 2 * (c // 4) - d - c % 4) % 7
    f = d + e - 7 * ((a + 11 * d + 22 * e) // 451) + 114
    return f // 31, f % 31 + 1
[easter(y) for y in (1961, 2000, 2024, 2038)]
`,
    value: '[(4, 2), (4, 23), (3, 31), (4, 25)]',
  },
  {
    name: 'age in years',
    code: `
from datetime import date
def age(b, t): return t.year - b.year - ((t.month, t.day) < (b.month, b.day))
age(date(1990, 8, 15), date(2024, 8, 14))
`,
    value: '33',
  },
  {
    name: 'a calendar as text',
    code: String.raw`
import calendar
calendar.TextCalendar().formatmonth(2024, 2).split('\n')[2]
`,
    value: "'          1  2  3  4'",
  },
  {
    name: 'sorting timestamps of mixed offsets',
    code: `
from datetime import datetime
sorted(['2024-01-01T10:00:00+02:00', '2024-01-01T09:30:00+00:00', '2024-01-01T00:00:00-05:00'], key=datetime.fromisoformat)
`,
    value: "['2024-01-01T00:00:00-05:00', '2024-01-01T10:00:00+02:00', '2024-01-01T09:30:00+00:00']",
  },
  {
    name: 'quarters',
    code: `
from datetime import date
[(d.month - 1) // 3 + 1 for d in (date(2024, 1, 1), date(2024, 6, 30), date(2024, 12, 31))]
`,
    value: '[1, 2, 4]',
  },
  {
    name: 'the struct of a time',
    code: `
import time
time.strftime('%Y-%j %H:%M', time.gmtime(1_000_000_000))
`,
    value: "'2001-252 01:46'",
  },
  {
    name: 'a rfc 2822 date',
    code: `
from email.utils import parsedate_to_datetime
parsedate_to_datetime('Mon, 16 Nov 2009 13:32:02 +0100').isoformat()
`,
    value: "'2009-11-16T13:32:02+01:00'",
  },
];
