import type { SiteSession } from '@pennypost/contract/site-session'
import { getElement } from '../get-element.ts'
import { improveSearchForms } from '../improve-search-forms.ts'
import { render } from '../jsx/render.ts'
import { enableShortcuts, showShortcuts } from '../keyboard-shortcuts.tsx'
import { signInPath } from '../redirect-to-sign-in.ts'
import { currentSession } from '../session.ts'
import { AccountMenu } from '../ui/account-menu.tsx'
import { ThemeButton } from '../ui/theme-button.tsx'

// Runs on every page: account menu, search forms, keyboard shortcuts, theme, and the service worker of an installed app.

enableShortcuts()
improveSearchForms()
render(
  <>
    <ThemeButton />
    <button type="button" onClick={showShortcuts}>
      Keyboard
    </button>
  </>,
  getElement('[data-tools]'),
)

// On a phone the current tab may be out of sight.
for (const tab of document.querySelectorAll<HTMLElement>('.tabs [aria-current]')) {
  const row = tab.parentElement!
  row.scrollLeft = tab.offsetLeft - row.offsetLeft - row.clientWidth / 3
}

// A browser tab has its own page for lost connections, an installed app should have ours.
if ('serviceWorker' in navigator && matchMedia('(display-mode: standalone)').matches)
  import('../register-worker.ts').then(({ registerWorker }) => registerWorker())

const place = getElement('[data-account]')
addEventListener('session', ({ detail }) => show(detail))
show(await currentSession())

function show({ account, unread }: SiteSession): void {
  place.dataset.known = ''
  if (account) render(<AccountMenu account={account} unread={unread} />, place)
  else if (!/^\/(sign-in|join)/.test(location.pathname))
    getElement<HTMLAnchorElement>('a', place).href = signInPath(location.pathname + location.search)
}
