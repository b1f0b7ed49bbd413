import { readFileSync } from 'node:fs'
import { StartError } from './data-dir.ts'
import type { Environment } from './setting.ts'

// Far more than any setting has. A path to a large file is a mistake.
const maxBytes = 65_536

/**
 * Reads settings from files, as container platforms mount secrets: `SMTP_URL_FILE` names the file with the value of
 * `SMTP_URL`. Spaces and line breaks at the end do not count. Throws a StartError of one line.
 */
export function withSettingFiles(environment: Environment, names: readonly string[]): Environment {
  const found: Record<string, string> = {}
  for (const name of names) {
    const path = environment[`${name}_FILE`]
    // A setting of that name, such as DKIM_KEY_FILE, is itself a path.
    if (!path || names.includes(`${name}_FILE`)) continue
    if (environment[name]) throw new StartError(`${name}, ${name}_FILE: choose one`)
    found[name] = readValue(`${name}_FILE`, path)
  }
  return { ...environment, ...found }
}

function readValue(name: string, path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartError(`${name}: cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`)
  }
  if (text.length > maxBytes) throw new StartError(`${name}: ${path} is too long`)
  if (text.trim() === '') throw new StartError(`${name}: ${path} is empty`)
  return text.trim()
}
