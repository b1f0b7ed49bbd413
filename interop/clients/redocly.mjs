import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { documentsOf, folderFor, runProgram } from './specifications.mjs'

export async function run(service) {
  const folder = folderFor(service, 'redocly')
  for (const [index, document] of (await documentsOf(service)).entries()) {
    writeFileSync(join(folder, `${index}.json`), JSON.stringify(document))
    await runProgram('redocly', ['lint', '--extends=spec', `${index}.json`], folder)
  }
}
