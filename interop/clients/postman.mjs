import Converter from 'openapi-to-postmanv2'
import { documentsOf, operationsIn } from './specifications.mjs'

const requestsIn = (items) => items.reduce((count, { item }) => count + (item ? requestsIn(item) : 1), 0)

export async function run(service) {
  const [document] = await documentsOf(service)
  const converted = await new Promise((resolve, reject) =>
    Converter.convertV2({ type: 'json', data: document }, {}, (error, result) =>
      error ? reject(error) : resolve(result),
    ),
  )
  if (!converted.result) throw new Error(converted.reason)
  const count = requestsIn(converted.output[0].data.item)
  if (count < operationsIn(document)) throw new Error(`${count} of ${operationsIn(document)} operations`)
  return `${count} operations`
}
