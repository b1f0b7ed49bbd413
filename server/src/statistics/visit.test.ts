import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { isBot, referringHost } from './visit.ts'

const visit = { userAgent: undefined, referrer: undefined, cookie: undefined }

test('programs that say they are bots are bots, people and their agents are not', () => {
  for (const userAgent of [
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    'Twitterbot/1.0',
    'facebookexternalhit/1.1',
    'Mozilla/5.0 (compatible; Yahoo! Slurp)',
    'SomeCrawler 2',
    'Bytespider',
  ])
    equal(isBot({ ...visit, userAgent }), true, userAgent)
  for (const userAgent of [
    undefined,
    '',
    'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
    'Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36',
    'curl/8.5.0',
    'python-requests/2.32',
    'Botany Reader 3',
  ])
    equal(isBot({ ...visit, userAgent }), false, userAgent)
})

test('of the page that led here only its host is taken', () => {
  for (const [referrer, host] of [
    [undefined, ''],
    ['', ''],
    ['https://news.example.org/item?id=1&secret=2#x', 'news.example.org'],
    ['https://WWW.Example.org', 'example.org'],
    ['http://example.org:8080/', 'example.org'],
    ['https://xn--bcher-kva.example/', 'xn--bcher-kva.example'],
    ['https://пример.рф/', ''],
    ['https://user:password@example.org/', ''],
    ['https://192.0.2.1/', ''],
    ['https://[2001:db8::1]/', ''],
    ['http://localhost:3000/', ''],
    ['http://other/', ''],
    ['android-app://com.example.reader/', ''],
    ['javascript:alert(1)', ''],
    ['https://-bad.example/', ''],
    ['https://exa mple.org/', ''],
    ["https://example.org'--/", ''],
    [`https://${'a.'.repeat(140)}example.org/`, ''],
    [`https://${'a'.repeat(64)}.org/`, ''],
    [`https://example.org/${'a'.repeat(100_000)}`, 'example.org'],
  ] as const)
    equal(referringHost({ ...visit, referrer }), host, referrer?.slice(0, 80))
})
