import type { Environment } from '../platform/setting.ts'

/** Removes secrets from a text before it is printed. */
export type Redact = (text: string) => string

const shown = '[removed]'
/** Shorter ones would remove ordinary words, and protect nothing. */
const shortest = 6

// Settings whose whole value is a secret, and those that are URLs with one in them: a password, or a provider's key in the path.
const secretSettings = [
  'NANO_SEED',
  'BASE_SETTLER_KEY',
  'SIGNER_SECRET',
  'CDP_API_KEY_SECRET',
  'CAPTCHA_SECRET',
  'METRICS_TOKEN',
]
const isUrlSetting = (name: string): boolean => /_URL$/.test(name) && name !== 'BASE_URL' && name !== 'ALT_BASE_URL'

/** Secrets that could be in any text: passwords in URLs, bearer tokens, and our own tokens and keys. */
const patterns: readonly (readonly [RegExp, string])[] = [
  // The placeholders are those of our own messages about settings.
  [/\b([a-z][a-z0-9+.-]*:\/\/)(?!(?:key:secret|user:password)@)[^\s/@:]*:[^\s/@]*@/gi, `$1${shown}@`],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/-]{8,}=*/gi, `$1 ${shown}`],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/g, shown],
  [/\b(svc[a-z]{1,4}|pk|whsec|sk)_[A-Za-z0-9_-]{16,}/g, `$1_${shown}`],
  [/\b(token|secret|password|api_?key|key|code)=[^\s&"']+/gi, `$1=${shown}`],
]

/** Removes the secrets of these settings and `others`, such as the contents of the secret files. */
export function createRedact(environment: Environment, others: readonly string[] = []): Redact {
  const values = new Set<string>(others)
  for (const [name, value] of Object.entries(environment)) {
    if (!value) continue
    if (secretSettings.includes(name)) values.add(value)
    if (name === 'OTEL_EXPORTER_OTLP_HEADERS')
      for (const pair of value.split(',')) values.add(pair.slice(pair.indexOf('=') + 1).trim())
    if (name === 'FACILITATOR_HEADER') values.add(value.slice(value.indexOf(':') + 1).trim())
    if (isUrlSetting(name) || name === 'TARGET_DATABASE_URL' || name === 'OTEL_EXPORTER_OTLP_ENDPOINT')
      for (const url of value.split(',')) for (const part of secretsIn(url.trim())) values.add(part)
  }
  const known = [...values].filter(({ length }) => length >= shortest).sort((one, other) => other.length - one.length)
  return (text) => {
    let clean = text
    for (const value of known) clean = clean.replaceAll(value, shown)
    for (const [pattern, replacement] of patterns) clean = clean.replace(pattern, replacement)
    return clean
  }
}

/** The password of a URL, as it is written and as it is meant, and what a provider hides in its path and query. */
function secretsIn(url: string): string[] {
  const [, password, rest = ''] = /^[a-z0-9+.-]+:\/\/(?:[^/@:]*(?::([^/@]*))?@)?[^/?#]*(.*)$/i.exec(url) ?? []
  // An address of a database or mail server has its name in the path; which is not a secret.
  const isHttp = /^(https?|wss?):/i.test(url)
  const hidden = isHttp ? rest.split(/[/?&=#]/).filter((part) => part.length >= 16) : []
  return [...(password ? [password, decoded(password)] : []), ...hidden]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
