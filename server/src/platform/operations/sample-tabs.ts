import { type Html, html } from '../http/page.ts'

/** The languages of samples, in the order of their tabs, and what the tabs are called. */
export const sampleLanguages = { sh: 'curl', js: 'JavaScript', python: 'Python' } as const
export type SampleLanguage = keyof typeof sampleLanguages

export interface Sample {
  readonly language: SampleLanguage
  readonly code: Html | string
}

/**
 * The same sample in several languages, one of them shown. The tabs are radio buttons, so they work without a script; with
 * one, the choice is remembered. `id` is unique on the page.
 */
export const sampleTabs = (
  id: string,
  samples: readonly Sample[],
): Html => html`<div class="samples" role="group" aria-label="Sample">
${samples.map(
  (
    { language },
    index,
  ) => html`<input type="radio" name="${id}" id="${id}-${language}" value="${language}"${index === 0 && html` checked`}><label for="${id}-${language}">${sampleLanguages[language]}</label>
`,
)}
${samples.map(({ code }) => html`<pre><code>${code}</code></pre>\n`)}</div>`
