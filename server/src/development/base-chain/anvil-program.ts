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
 * The path of the anvil program, or undefined if there is no package for this machine. We depend on the packages for
 * each platform directly, because the package that chooses among them downloads one during installation.
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
