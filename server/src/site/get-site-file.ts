import {
  type getSiteFile as declared,
  type getFavicon as declaredIcon,
  siteFileNotFound,
} from '@pennypost/contract/site-pages'
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

const penny = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="#a8501a"/><circle cx="16" cy="16" r="12" fill="none" stroke="#f4c9a4" stroke-width="1.25"/><path d="M12.5 23V9.5h5a4.25 4.25 0 0 1 0 8.5h-5" fill="none" stroke="#fff" stroke-width="2.75" stroke-linecap="round" stroke-linejoin="round"/></svg>
`

export const getFavicon: Handler<typeof declaredIcon> = async () => ({ status: 200, body: penny })
