import { access, constants } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, dirname, isAbsolute, join } from 'node:path'

const packages: Readonly<Record<string, string>> = {
  'darwin-arm64': '@foundry-rs/anvil-darwin-arm64',
  'darwin-x64': '@foundry-rs/anvil-darwin-amd64',
  'linux-arm64': '@foundry-rs/anvil-linux-arm64',
  'linux-x64': '@foundry-rs/anvil-linux-amd64',
}

/**
 * The path of the anvil program: of the package for this machine, or else one that is installed in the `PATH`. Undefined if there is
 * neither. We depend on the packages for each platform directly, because the package that chooses among them downloads one
 * during installation.
 */
export async function findAnvil({
  packageName = packages[`${process.platform}-${process.arch}`],
  path = process.env.PATH ?? '',
} = {}): Promise<string | undefined> {
  for (const program of [...ofPackage(packageName), ...inPath(path)]) if (await isProgram(program)) return program
  return undefined
}

function ofPackage(name: string | undefined): string[] {
  if (name === undefined) return []
  try {
    return [join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin', 'anvil')]
  } catch {
    return []
  }
}

const inPath = (path: string): string[] =>
  path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, 'anvil'))

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
