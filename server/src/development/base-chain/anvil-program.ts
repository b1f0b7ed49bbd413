import { access, constants } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const packages: Readonly<Record<string, string>> = {
  'darwin-arm64': '@foundry-rs/anvil-darwin-arm64',
  'darwin-x64': '@foundry-rs/anvil-darwin-amd64',
  'linux-arm64': '@foundry-rs/anvil-linux-arm64',
  'linux-x64': '@foundry-rs/anvil-linux-amd64',
}

/**
 * Where anvil is, or undefined where no package has it for this machine. The package that only chooses among them is
 * left out: it would download one while it is installed.
 */
export async function findAnvil(): Promise<string | undefined> {
  const name = packages[`${process.platform}-${process.arch}`]
  if (!name) return undefined
  try {
    const program = join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin', 'anvil')
    await access(program, constants.X_OK)
    return program
  } catch {
    return undefined
  }
}
