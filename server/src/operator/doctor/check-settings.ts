import { allSettings, type Config, readConfig, settingGroups } from '../../config.ts'
import { StartError } from '../../platform/data-dir.ts'
import { type Environment, findSettingProblem } from '../../platform/setting.ts'
import { settingChecks } from '../../service.ts'
import type { Check, Report } from './check.ts'

const minNode = [20, 19] as const

export const checkNode: Check = {
  area: 'node',
  timeoutMs: 1_000,
  advice: 'Install another Node.',
  async run(report) {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
    const isOld = major < minNode[0] || (major === minNode[0] && minor < minNode[1])
    if (isOld) report.wrong(`Node ${process.versions.node} is too old`, `Install Node ${minNode.join('.')} or later.`)
    else report.ok(`Node ${process.versions.node}`)
    if (process.getuid?.() === 0)
      report.warn('running as root', 'Run the service as a separate user who owns DATA_DIR.')
  },
}

/**
 * All settings at once, while a start stops at the first that is wrong.
 * @param fileProblem why a setting could not be read from its file.
 */
export const checkSettings = (environment: Environment, fileProblem?: string): Check => ({
  area: 'settings',
  timeoutMs: 2_000,
  advice: 'Compare them with docs/settings.md.',
  async run(report) {
    let problems = 0
    const wrong = (detail: string) => {
      problems += 1
      report.wrong(detail, 'Correct the setting: docs/settings.md explains each.')
    }
    if (fileProblem !== undefined) wrong(fileProblem)
    for (const [name, declared] of Object.entries(allSettings)) {
      const problem = findSettingProblem(name, declared, environment)
      if (problem !== undefined) wrong(problem)
    }
    // Settings that contradict each other. Single ones that are wrong were reported above.
    if (problems === 0) for (const contradiction of contradictions(environment)) wrong(contradiction)
    if (problems === 0) for (const refusal of await refusals(readConfig(environment))) wrong(refusal)
    for (const [name, meant] of misspelled(environment))
      report.warn(`${name} is not a setting`, `Did you mean ${meant}?`)
    if (problems > 0) return
    const set = Object.keys(allSettings).filter((name) => environment[name]).length
    report.ok(`${set} settings are set; none is wrong, none contradicts another`)
    reportUnsafe(report, environment)
  },
})

function contradictions(environment: Environment): string[] {
  return settingGroups.flatMap((group) => {
    try {
      group.read(environment)
      return []
    } catch (error) {
      if (error instanceof StartError) return [error.message]
      throw error
    }
  })
}

/** What else a start would refuse. */
async function refusals(config: Config): Promise<string[]> {
  const found: string[] = []
  for (const check of settingChecks)
    try {
      await check(config)
    } catch (error) {
      if (!(error instanceof StartError)) throw error
      found.push(error.message)
    }
  return found
}

/** Defaults and choices that are fine on a laptop, and not on the internet. */
function reportUnsafe(report: Report, environment: Environment): void {
  const config = readConfig(environment)
  const isPublic = config.baseUrl !== undefined && !isLocal(new URL(config.baseUrl).hostname)
  const isProduction = config.environment === 'production'
  if (!isProduction) {
    if (isPublic) report.wrong('NODE_ENV is not production: everyone can use /dev', 'Set NODE_ENV=production.')
    else report.skip('this is a development service: nothing here is safe for the internet')
    return
  }
  if (config.baseUrl?.startsWith('http:') && isPublic)
    report.wrong('BASE_URL is not https: sessions and payments can be read on the way', 'Use TLS at the proxy.')
  // The signer has no readers, and the others have work and rates.
  const isSigner = config.role === 'signer'
  if (!isSigner && config.trustProxy.length === 0)
    report.warn(
      'TRUST_PROXY is empty: behind a proxy, all readers share the limits of one address',
      'List the proxy, for example TRUST_PROXY=loopback.',
    )
  if (!isLocal(config.host) && config.trustProxy.length === 0)
    report.warn(`the service listens on ${config.host} without TLS`, 'Set HOST=127.0.0.1 behind a proxy.')
  for (const [name, url] of Object.entries({
    DATABASE_URL: config.databaseUrl,
    DATABASE_DIRECT_URL: config.databaseDirectUrl,
  }))
    if (url && isUnencrypted(url)) report.warn(`${name} is not encrypted`, 'Add sslmode=verify-full or require.')
  if (config.objectStore?.endpoint.startsWith('http:') && !isLocal(new URL(config.objectStore.endpoint).hostname))
    report.warn('OBJECT_STORE_URL is not encrypted', 'Leave out tls=0.')
  if (!isSigner && config.nano.workUrls.length === 0)
    report.warn('NANO_WORK_URL is not set: two cores make about 60 Nano sales an hour', 'Set up a work server.')
  if (!isSigner && !config.ratesUrl) report.skip('RATES_URL is not set: prices are not converted between XNO and USDC')
  if (!config.base) report.skip('USDC is off: BASE_RPC_URL and FACILITATOR_URL are not set')
}

const isLocal = (host: string): boolean => /^(localhost|127\.[\d.]+|\[?::1\]?|.*\.localhost)$/.test(host)

function isUnencrypted(url: string): boolean {
  const [, host = '', query = ''] = /^postgres(?:ql)?:\/\/(?:[^/@]*@)?([^/?]*)[^?]*\??(.*)$/.exec(url) ?? []
  const options = new URLSearchParams(query)
  const name = (options.get('host') ?? host).replace(/:\d+$/, '')
  if (name === '' || name.startsWith('/') || isLocal(name)) return false
  return (
    !/^(require|verify-ca|verify-full|no-verify)$/.test(options.get('sslmode') ?? '') && options.get('ssl') !== 'true'
  )
}

/** Variables that nobody declared and that are one or two letters away from one of ours. */
function misspelled(environment: Environment): [name: string, meant: string][] {
  const known = Object.keys(allSettings)
  return Object.keys(environment)
    .filter((name) => /^[A-Z][A-Z0-9_]{5,60}$/.test(name) && !known.includes(name))
    .flatMap((name) => {
      const meant = known.find((setting) => setting.length >= 6 && isNear(name, setting))
      return meant === undefined ? [] : [[name, meant] as [string, string]]
    })
    .slice(0, 20)
}

/** Whether two words differ by a letter that is added, missing or wrong, or by two letters that are swapped. */
function isNear(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false
  let start = 0
  while (start < one.length && one[start] === other[start]) start += 1
  let [oneEnd, otherEnd] = [one.length, other.length]
  while (oneEnd > start && otherEnd > start && one[oneEnd - 1] === other[otherEnd - 1]) {
    oneEnd -= 1
    otherEnd -= 1
  }
  const [left, right] = [one.slice(start, oneEnd), other.slice(start, otherEnd)]
  if (left.length <= 1 && right.length <= 1) return true
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0]
}
