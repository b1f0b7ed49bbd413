import { createClient } from '@hey-api/openapi-ts'
import { compile, documentsOf, folderFor } from './specifications.mjs'

export async function run(service) {
  const [document] = await documentsOf(service)
  const folder = folderFor(service, 'hey-api')
  const plugins = ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk', 'zod']
  await createClient({ input: document, output: folder, plugins, logs: { level: 'silent' } })
  await compile(folder, ['**/*.ts'])
}
