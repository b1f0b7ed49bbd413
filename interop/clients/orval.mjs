import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generate } from 'orval'
import { compile, documentsOf, folderFor } from './specifications.mjs'

export async function run(service) {
  const [document] = await documentsOf(service)
  const folder = folderFor(service, 'orval')
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document))
  await generate({ input: join(folder, 'openapi.json'), output: { target: join(folder, 'api.ts'), client: 'fetch' } })
  await compile(folder, ['*.ts'])
}
