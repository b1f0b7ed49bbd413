import { readFileSync } from 'node:fs'

/** The version of this build, as in its package. */
export const buildVersion: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version
