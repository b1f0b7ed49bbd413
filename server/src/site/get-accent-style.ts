import type { getAccentStyle as declared } from '@pennypost/contract/site-files'
import type { Handler } from './services.ts'

/**
 * The colours that `tokens.css` has for the accent, made from one colour. That colour is dark enough for white text, so in
 * the dark theme it is mixed with white.
 */
export const getAccentStyle: Handler<typeof declared> = async (_services, { params }) => {
  const color = `#${params.color}`
  const mixed = (percent: number, other: string) => `color-mix(in oklab, ${color} ${percent}%, ${other})`
  const light = `--accent:${color};--accent-soft:${mixed(14, '#fff')};--on-accent:#fff`
  const dark = `--accent:${mixed(45, '#fff')};--accent-soft:${mixed(30, '#171513')};--on-accent:#171513`
  return {
    status: 200,
    body: `:root{${light}}
@media (prefers-color-scheme:dark){:root:not([data-theme="light"]){${dark}}}
:root[data-theme="dark"]{${dark}}
`,
  }
}
