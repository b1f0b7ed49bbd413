import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import createClient from 'openapi-fetch'
import openapiTS, { astToString } from 'openapi-typescript'
import { compile, documentsOf, folderFor } from './specifications.mjs'

const program = `import createClient from 'openapi-fetch'
import type { paths } from './api.js'
const client = createClient<paths>({ baseUrl: 'http://localhost' })
const { data } = await client.GET('/api/posts', { params: { query: { q: 'x' } } })
export const titles: string[] = data!.data.map((post) => post.title)
`

export async function run(service) {
  const [document] = await documentsOf(service)
  const folder = folderFor(service, 'openapi-fetch')
  writeFileSync(join(folder, 'api.ts'), astToString(await openapiTS(document)))
  writeFileSync(join(folder, 'program.ts'), program)
  await compile(folder, ['*.ts'])
  const { data } = await createClient({ baseUrl: service.origin }).GET('/api/posts')
  if (data.total < 2) throw new Error('the catalog is empty')
}
