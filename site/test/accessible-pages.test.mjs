// No page shuts people out, by day and by night.
import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityViolations } from './accessibility.mjs'
import { visitAllPages } from './all-pages.mjs'
import { createFixture } from './fixture.mjs'
import { useWorld } from './world.mjs'

const world = useWorld(createFixture)

for (const colorScheme of ['light', 'dark'])
  test(`no page has a serious accessibility violation (${colorScheme})`, async () => {
    const violations = []
    await visitAllPages(world, { colorScheme, reducedMotion: 'reduce' }, async (page, path) => {
      violations.push(...(await accessibilityViolations(page, path)))
    })
    deepEqual(violations, [])
  })
