import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { deviceName } from './device-name.ts'

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test('browsers are named with what they run on', () => {
  for (const [name, userAgent] of [
    ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
    ['Firefox on Android', 'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0'],
    [
      'Firefox on iPhone',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/140.0 Mobile/15E148 Safari/605.1.15',
    ],
    [
      'Safari on iPhone',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    ],
    [
      'Safari on Mac',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
    ],
    ['Chrome on Windows', `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/139.0.0.0 Safari/537.36`],
    ['Chrome on Android', `Mozilla/5.0 (Linux; Android 10; K) ${webKit} Chrome/139.0.0.0 Mobile Safari/537.36`],
    ['Chrome on ChromeOS', `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webKit} Chrome/139.0.0.0 Safari/537.36`],
    [
      'Edge on Windows',
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/139.0.0.0 Safari/537.36 Edg/139.0.0.0`,
    ],
    ['Opera on Linux', `Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/137.0.0.0 Safari/537.36 OPR/121.0.0.0`],
    [
      'Samsung Internet on Android',
      `Mozilla/5.0 (Linux; Android 10; K) ${webKit} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    ],
    ['Browser on Linux', 'Mozilla/5.0 (X11; Linux x86_64) Something/1.0'],
  ] as const)
    equal(deviceName(userAgent), name)
})

test('programs are named by their product', () => {
  equal(deviceName('curl/8.14.1'), 'curl')
  equal(deviceName('python-requests/2.32.4'), 'python-requests')
  equal(deviceName('node'), 'node')
  equal(deviceName('MyApp/3 CFNetwork/1568.200.51 Darwin/24.1.0'), 'MyApp')
})

test('what says nothing, or something else, is an unknown device', () => {
  for (const userAgent of [
    undefined,
    '',
    ' ',
    'Mozilla/5.0',
    'Mozilla/5.0 (compatible)',
    '<script>alert(1)</script>',
    'Firefox\non Linux',
    '"><img src=x>/1',
    '\u202ecurl/8',
    'a'.repeat(41),
    '../../etc/passwd',
  ])
    equal(deviceName(userAgent), 'Unknown device', userAgent)
})

test('a name is short and has plain characters only, whatever is sent', () => {
  for (const userAgent of [
    `Mozilla/5.0 ${'('.repeat(100_000)} Firefox/1`,
    `Mozilla/5.0 ${'Version/1 Mobile/'.repeat(10_000)}`,
    `${'a'.repeat(40)}/${'b'.repeat(100_000)}`,
    'Mozilla/5.0 (Linux <b>) Firefox/<i>\u0000\u202e',
    'curl/\u0000<script>',
  ]) {
    match(deviceName(userAgent), /^[A-Za-z][\w .-]{0,39}$/)
  }
})
