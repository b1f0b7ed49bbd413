import { type getSiteFile as declared, siteFileNotFound } from '@pennypost/contract/site-pages'
import { wish } from '../platform/http/accept.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { findSiteFile } from './assets.ts'

export const getSiteFile: Handler<typeof declared> = async (_services, { params, headers }) => {
  const file = findSiteFile(params.file) ?? refuse(siteFileNotFound)
  // Only what the client names: `*` is what programs say that then store what they got as it came.
  const coding = (['br', 'gzip'] as const).find((name) => {
    const { isNamed, quality } = wish(headers['accept-encoding'], name)
    return isNamed && quality > 0
  })
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
