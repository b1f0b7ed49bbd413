import type {
  getSiteSettings as declaredGet,
  updateSiteSettings as declaredUpdate,
  SiteSettings,
} from '@pennypost/contract/site-settings'
import { recordAuditEntry } from '../accounts/audit-log-store.ts'
import { requireAdmin } from '../accounts/require-admin.ts'
import { lockSiteSettings, readSiteSettings, saveSiteSettings } from '../platform/site-settings.ts'
import { ownSender } from '../posts/markdown/renderer.ts'
import { renderPart } from '../posts/post-content.ts'
import type { AdminServices, Handler } from './services.ts'

export const getSiteSettings: Handler<typeof declaredGet> = async ({ db }, { caller }) => {
  requireAdmin(caller)
  return { status: 200, body: await readSiteSettings(db) }
}

export const updateSiteSettings: Handler<typeof declaredUpdate> = async (services, { caller, body }) => {
  requireAdmin(caller)
  // JSON has no undefined.
  const change = body as Partial<SiteSettings>
  await requireRenderable(services, change)
  const { db, clock, site } = services
  const settings = await db.transaction().execute(async (tx) => {
    const before = await lockSiteSettings(tx)
    const after: SiteSettings = { ...before, ...change }
    const changed = changedFields(before, after)
    if (changed.length === 0) return before
    await saveSiteSettings(tx, after)
    await recordAuditEntry(tx, {
      at: clock.now(),
      actorId: caller.accountId,
      act: 'site.update',
      target: ['site', 'settings'],
      details: Object.fromEntries(changed.map((field) => [field, shortText(after[field])])),
    })
    return after
  })
  await site.reload()
  return { status: 200, body: settings }
}

const changedFields = (before: SiteSettings, after: SiteSettings) =>
  (Object.keys(after) as (keyof SiteSettings)[]).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )

const maxDetail = 200

/** The new value for the audit log. Long texts are cut: the log says who changed what, it does not archive pages. */
function shortText(value: SiteSettings[keyof SiteSettings]): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > maxDetail ? `${text.slice(0, maxDetail)}…` : text
}

/** The pages are rendered when they are read, so a text that cannot be rendered must not be saved. */
async function requireRenderable({ renderer }: AdminServices, change: Partial<SiteSettings>) {
  for (const markdown of [change.aboutMarkdown, change.termsMarkdown, change.privacyMarkdown]) {
    if (markdown) await renderPart(renderer, ownSender('site'), markdown)
  }
}
