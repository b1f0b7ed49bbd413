import type { Origins } from '../http/origins.ts'
import { defaultAccentColor, type Site } from '../site-settings.ts'

/** The name and the looks of the site that an email is from. */
export interface EmailSender {
  readonly name: string
  readonly origin: string
  /** An absolute URL. */
  readonly logoUrl: string | null
  readonly accentColor: string
}

interface Parts {
  readonly site: Site
  readonly origins: Origins
}

export function emailSender({ site, origins }: Parts): EmailSender {
  const { name, logoUrl, accentColor } = site.settings()
  return {
    name,
    origin: origins.base,
    logoUrl: logoUrl && new URL(logoUrl, origins.base).href,
    accentColor: accentColor ?? defaultAccentColor,
  }
}
