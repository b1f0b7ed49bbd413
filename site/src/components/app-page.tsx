import { Tabs } from './tabs.tsx'

export interface AppPageProps {
  readonly title: string
  readonly lead?: string
  /** The sections to which this page belongs. */
  readonly sections?: Sections
  /** The section or id that the script shows. */
  readonly section?: string
  /** `full` is for the editor, which needs the whole window and has the title of its post in place of a heading. */
  readonly width?: 'narrow' | 'wide' | 'full'
}

interface Sections {
  readonly label: string
  readonly path: string
  readonly names: readonly string[]
  /** The first section, if it has the path of all of them. */
  readonly first?: { readonly name: string; readonly path: string }
}

/** A page for signed-in users. It has no personal content: its script loads that from the API. */
export const AppPage = ({ title, lead, sections, section, width = 'wide' }: AppPageProps) => (
  <main id="main" class={`app ${width}`} data-section={section}>
    <h1 class={width === 'full' ? 'visually-hidden' : undefined}>{title}</h1>
    {lead !== undefined && <p class="lead">{lead}</p>}
    {sections && (
      <Tabs
        label={sections.label}
        tabs={tabsOf(sections).map(([name, href]) => ({
          href,
          label: `${name[0]!.toUpperCase()}${name.slice(1)}`,
          isCurrent: name === section,
        }))}
      />
    )}
    <div class="view" data-view="" aria-busy="true">
      <p class="waiting">One moment…</p>
    </div>
    <p class="notice without-script">This page works in your browser, with JavaScript. Reading does without.</p>
  </main>
)

const tabsOf = ({ path, names, first }: Sections): (readonly [name: string, href: string])[] => [
  ...(first === undefined ? [] : [[first.name, first.path] as const]),
  ...names.map((name) => [name, path + name] as const),
]
