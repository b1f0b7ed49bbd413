interface TabsProps {
  readonly label: string
  readonly tabs: readonly { readonly href: string; readonly label: string; readonly isCurrent: boolean }[]
}

/** A row of links of which one is the current page. */
export const Tabs = ({ label, tabs }: TabsProps) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map((tab) => (
      <a key={tab.href} href={tab.href} aria-current={tab.isCurrent ? 'page' : undefined}>
        {tab.label}
      </a>
    ))}
  </nav>
)
