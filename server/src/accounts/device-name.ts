// The name of a device in the list of sessions, from the User-Agent of the sign-in. Anyone can send anything there: only names from
// the lists below, or a few plain characters of a program's own name, are ever stored.

const maxRead = 512
const unknown = 'Unknown device'

/** Browsers, with those that also claim to be another one first. */
const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPiOS|Opera)\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\b(?:DuckDuckGo|Ddg)\//, 'DuckDuckGo'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|HeadlessChrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bVersion\/\S+ (?:Mobile\/\S+ )?Safari\//, 'Safari'],
] as const

/** Devices and systems. Android also claims to be Linux, and an iPhone claims to be "like Mac OS X". */
const systems = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac(?:intosh| OS X)\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
  [/\bFreeBSD\b/, 'FreeBSD'],
] as const

const nameIn = (names: readonly (readonly [RegExp, string])[], text: string): string | undefined =>
  names.find(([pattern]) => pattern.test(text))?.[1]

/** Names a device in words: "Firefox on Linux", "Safari on iPhone", or the name of the program, such as "curl". */
export function deviceName(userAgent: string | undefined): string {
  const text = userAgent?.slice(0, maxRead) ?? ''
  if (!/^(?:Mozilla|Opera)\//.test(text)) return /^[A-Za-z][\w.-]{0,39}(?=[/ ]|$)/.exec(text)?.[0] ?? unknown
  const browser = nameIn(browsers, text)
  const system = nameIn(systems, text)
  return browser && system ? `${browser} on ${system}` : (browser ?? (system && `Browser on ${system}`) ?? unknown)
}
