import type { getIcon as declared, getOldIcon as declaredOld } from '@pennypost/contract/site-files'
import { escapeHtml } from '@pennypost/site/escape-html'
import { defaultAccentColor } from '../platform/site-settings.ts'
import { redirectTo } from './redirect-to.ts'
import type { Handler } from './services.ts'

/** A penny with a P. */
const penny =
  '<path d="M12.5 23V9.5h5a4.25 4.25 0 0 1 0 8.5h-5" fill="none" stroke="#fff" stroke-width="2.75" stroke-linecap="round" stroke-linejoin="round"/>'

/** A coin in the operator's colour, with the first letter of the site's name. */
export const getIcon: Handler<typeof declared> = async ({ site }) => {
  const { name, accentColor } = site.settings()
  const [letter = ''] = name.toUpperCase()
  const sign =
    letter === 'P'
      ? penny
      : `<text x="16" y="22" fill="#fff" text-anchor="middle" font-family="Georgia, serif" font-size="18">${escapeHtml(letter)}</text>`
  const color = accentColor ?? defaultAccentColor
  return {
    status: 200,
    body: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="${color}"/><circle cx="16" cy="16" r="12" fill="none" stroke="#fff" stroke-opacity=".6" stroke-width="1.25"/>${sign}</svg>\n`,
  }
}

export const getOldIcon: Handler<typeof declaredOld> = async () => redirectTo('/favicon.svg')
