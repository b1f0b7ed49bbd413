import { type getPushWorker as declared, siteFileNotFound } from '@pennypost/contract/site-files'
import { etagOf } from '../platform/http/conditional-request.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from './services.ts'
import { findEntry, findSiteFile } from './site-bundle.ts'

/** The service worker's path never changes, because browsers look there for updates. */
export const getPushWorker: Handler<typeof declared> = async () => {
  const name = findEntry('push-worker')?.file
  const file = (name && findSiteFile(name)) || refuse(siteFileNotFound)
  return {
    status: 200,
    headers: { etag: etagOf(name!), 'content-security-policy': "default-src 'none'; connect-src 'self'" },
    body: file.plain,
  }
}
