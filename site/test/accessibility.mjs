// Checks that a page is accessible and fits narrow windows.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const fadeInMs = 700

// The chapters of the API reference are made alike, and axe takes a minute for all of them, so it checks the first.
const furtherChapters = '.reference main > section ~ section'

/** The serious violations that axe finds. Waits for what fades in, because half a colour has too little contrast. */
export async function accessibilityViolations(page, name = page.url()) {
  await page.waitForTimeout(fadeInMs)
  await page.evaluate(axe)
  const { violations } = await page.evaluate(async (selector) => {
    // Taken out, because axe looks at all elements of a document even if it is to leave some out.
    const chapters = [...document.querySelectorAll(selector)]
    const places = chapters.map((chapter) => {
      const place = document.createComment('')
      chapter.replaceWith(place)
      return place
    })
    const found = await globalThis.axe.run(document, { resultTypes: ['violations'] })
    for (const [index, place] of places.entries()) place.replaceWith(chapters[index])
    return found
  }, furtherChapters)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${name}: ${id} ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('; ')}`,
    )
}

/** How wide the content is: wider than the window if it has to be scrolled sideways. */
export const contentWidth = (page) => page.evaluate(() => document.documentElement.scrollWidth)

/** The width of the content in a window of this width, if it does not fit. */
export async function overflowAt(page, width) {
  await page.setViewportSize({ width, height: 640 })
  const found = await contentWidth(page)
  await page.setViewportSize({ width: 1280, height: 900 })
  return found > width ? found : undefined
}
