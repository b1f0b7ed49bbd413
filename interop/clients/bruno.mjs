import converters from '@usebruno/converters'
import { documentsOf, operationsIn } from './specifications.mjs'

const requestsIn = (items) =>
  items.reduce((count, { items: below, request }) => count + (below ? requestsIn(below) : 0) + (request ? 1 : 0), 0)

export async function run(service) {
  const [document] = await documentsOf(service)
  const collection = await converters.openApiToBruno(document)
  const count = requestsIn(collection.items)
  if (count < operationsIn(document)) throw new Error(`${count} of ${operationsIn(document)} operations`)
  return `${count} operations`
}
