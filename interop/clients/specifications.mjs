import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const modules = fileURLToPath(new URL('../node_modules', import.meta.url))

/** The OpenAPI documents of the service. */
export async function documentsOf({ origin }) {
  const paths = ['/openapi.json', '/openapi-admin.json']
  return Promise.all(paths.map(async (path) => (await fetch(origin + path)).json()))
}

export const operationsIn = (document) =>
  Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length

/** A folder for a client's files. */
export function folderFor({ folder }, name) {
  const made = join(folder, name)
  mkdirSync(made, { recursive: true })
  return made
}

/** Runs a program of an installed package. */
export const runProgram = (name, args, cwd) =>
  new Promise((resolve, reject) => {
    execFile(join(modules, '.bin', name), args, { cwd, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      error
        ? reject(new Error(`${name}: ${`${stdout}${stderr}`.trim().split('\n').slice(-2).join(' ')}`))
        : resolve(stdout),
    )
  })

/** Compiles what a generator wrote, strictly. */
export async function compile(folder, files) {
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    paths: { '*': [`${modules}/*`] },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: files }))
  await runProgram('tsc', ['-p', '.'], folder)
}
