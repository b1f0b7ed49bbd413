import type { getDocsEntries as declared } from '@pennypost/contract/guides'
import { etagOf } from '../../platform/http/conditional-request.ts'
import { readWrittenDocs } from '../../platform/operations/written-docs.ts'
import type { Handler } from '../services.ts'

/** Read only once: it does not change while the process runs. */
let reply: { readonly status: 200; readonly headers: Record<string, string>; readonly body: string } | undefined

export const getDocsEntries: Handler<typeof declared> = async () => {
  if (!reply) {
    const body = readWrittenDocs('entries')
    reply = { status: 200, headers: { etag: etagOf(body) }, body }
  }
  return reply
}
