import { type getSiteFile as declared, siteFileNotFound } from '@pennypost/contract/site-files'
import { refuse } from '../platform/http/refuse.ts'
import { contentCodingFor } from '../platform/http/reply-cache.ts'
import type { Handler } from './services.ts'
import { findSiteFile } from './site-bundle.ts'

export const getSiteFile: Handler<typeof declared> = async (_services, { params, headers }) => {
  const file = findSiteFile(params.file) ?? refuse(siteFileNotFound)
  const coding = contentCodingFor(headers['accept-encoding'])
  return {
    status: 200,
    headers: {
      'content-type': file.contentType,
      vary: 'Accept-Encoding',
      ...(coding && { 'content-encoding': coding }),
    },
    body: coding ? file[coding] : file.plain,
  }
}
