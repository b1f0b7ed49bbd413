import { listPublicPosts } from '@pennypost/contract/discovery'
import { type SiteSettings, updateSiteSettings } from '@pennypost/contract/site-settings'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { showToast } from '../show-toast.ts'
import { Field, Form } from '../ui/form.tsx'

/** The form for the settings of the site: name, looks, links, texts, and who may sign up. */
export function SiteSettingsForm({ settings }: { readonly settings: SiteSettings }) {
  const [isEmptySite, setEmptySite] = useState(false)
  const save = async (fields: FormData) => {
    await callApi(updateSiteSettings, { body: settingsIn(fields) })
    showToast('Saved. Pages show it within half a minute.')
    setEmptySite((await callApi(listPublicPosts, { query: { per_page: '1' } })).total === 0)
  }
  const nextStep = (
    <a class="button quiet-button" href="/studio">
      Next: write the first post
    </a>
  )
  return (
    <Form submit="Save" send={save} actions={isEmptySite && nextStep}>
      {(errors) => (
        <>
          <h2>Name and looks</h2>
          <Field label="Name" error={errors.name}>
            <input name="name" required maxlength={50} defaultValue={settings.name} />
          </Field>
          <Field label="Tagline" hint="One line, at the top of the first page." error={errors.tagline}>
            <input name="tagline" maxlength={120} defaultValue={settings.tagline} />
          </Field>
          <Field label="Description" hint="For search engines and link previews." error={errors.description}>
            <textarea name="description" maxlength={500} rows={3} defaultValue={settings.description} />
          </Field>
          <Field
            label="Logo"
            hint="An https URL, or a path of this site. Without one, the name is shown."
            error={errors.logoUrl}
          >
            <input name="logoUrl" maxlength={2000} placeholder="https://…" defaultValue={settings.logoUrl ?? ''} />
          </Field>
          <Field
            label="Icon"
            hint="Shown in browser tabs. Without one, the first letter of the name."
            error={errors.iconUrl}
          >
            <input name="iconUrl" maxlength={2000} placeholder="https://…" defaultValue={settings.iconUrl ?? ''} />
          </Field>
          <Field label="Colour" hint="Dark enough for white text on it." error={errors.accentColor}>
            <input
              name="accentColor"
              pattern="#[0-9A-Fa-f]{6}"
              placeholder="#a8501a"
              defaultValue={settings.accentColor ?? ''}
            />
          </Field>
          <Field
            label="Links in the top bar"
            hint="One on each line: its label, then its URL or path. At most eight."
            error={errors.navigation}
          >
            <textarea
              name="navigation"
              rows={3}
              placeholder="Shop https://shop.example"
              defaultValue={linesOf(settings)}
            />
          </Field>
          <h2>Pages</h2>
          <Field label="About" hint="Markdown, shown at /about." error={errors.aboutMarkdown}>
            <textarea name="aboutMarkdown" rows={6} defaultValue={settings.aboutMarkdown ?? ''} />
          </Field>
          <Field
            label="Terms"
            hint="Markdown, shown at /terms. The sign-up page links to it."
            error={errors.termsMarkdown}
          >
            <textarea name="termsMarkdown" rows={6} defaultValue={settings.termsMarkdown ?? ''} />
          </Field>
          <Field label="Privacy" hint="Markdown, shown at /privacy." error={errors.privacyMarkdown}>
            <textarea name="privacyMarkdown" rows={6} defaultValue={settings.privacyMarkdown ?? ''} />
          </Field>
          <h2>New accounts</h2>
          <Field label="Who may sign up" error={errors.registration}>
            <select name="registration">
              <option value="open" selected={settings.registration === 'open'}>
                Everyone
              </option>
              <option value="invite" selected={settings.registration === 'invite'}>
                People with an invitation
              </option>
              <option value="closed" selected={settings.registration === 'closed'}>
                Nobody
              </option>
            </select>
          </Field>
        </>
      )}
    </Form>
  )
}

const linesOf = ({ navigation }: SiteSettings): string =>
  navigation.map(({ label, url }) => `${label} ${url}`).join('\n')

/** The URL is the last word of a line. */
function linkIn(line: string): SiteSettings['navigation'][number] {
  const place = line.lastIndexOf(' ')
  return { label: line.slice(0, Math.max(place, 0)).trim(), url: line.slice(place + 1) }
}

function settingsIn(fields: FormData): SiteSettings {
  const text = (name: string) => String(fields.get(name) ?? '').trim()
  return {
    name: text('name'),
    tagline: text('tagline'),
    description: text('description'),
    logoUrl: text('logoUrl') || null,
    iconUrl: text('iconUrl') || null,
    accentColor: text('accentColor') || null,
    navigation: text('navigation')
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
      .map(linkIn),
    aboutMarkdown: text('aboutMarkdown') || null,
    termsMarkdown: text('termsMarkdown') || null,
    privacyMarkdown: text('privacyMarkdown') || null,
    registration: text('registration') as SiteSettings['registration'],
  }
}
