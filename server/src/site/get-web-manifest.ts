import type { getWebManifest as declared } from '@pennypost/contract/site-files'
import { defaultAccentColor } from '../platform/site-settings.ts'
import type { Handler } from './services.ts'

export const getWebManifest: Handler<typeof declared> = async ({ site }) => {
  const { name, tagline, description, iconUrl, accentColor } = site.settings()
  const manifest = {
    name,
    short_name: name,
    description: description || tagline,
    id: '/',
    start_url: '/',
    display: 'standalone',
    theme_color: accentColor ?? defaultAccentColor,
    background_color: '#fdfcfa',
    icons: [
      ...(iconUrl === null ? [] : [{ src: iconUrl, sizes: 'any' }]),
      { src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' },
    ],
  }
  return { status: 200, body: JSON.stringify(manifest) }
}
