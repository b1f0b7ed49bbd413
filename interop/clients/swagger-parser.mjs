import SwaggerParser from '@apidevtools/swagger-parser'
import { documentsOf } from './specifications.mjs'

export async function run(service) {
  for (const document of await documentsOf(service)) await SwaggerParser.validate(document)
}
