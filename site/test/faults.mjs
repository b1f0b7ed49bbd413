// What axe finds wrong with a page for those who cannot see, point or hear well.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Only what is serious. Waits for what fades in: half a colour is none. */
export async function faultsOf(page, name) {
  await page.waitForTimeout(700)
  await page.evaluate(axe)
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }))
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${name}: ${id} ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('; ')}`,
    )
}

/** Whether everything is in the window, however narrow it is. */
export async function widerThan(page, width) {
  await page.setViewportSize({ width, height: 640 })
  const found = await page.evaluate(() => document.documentElement.scrollWidth)
  await page.setViewportSize({ width: 1280, height: 900 })
  return found > width ? found : undefined
}
