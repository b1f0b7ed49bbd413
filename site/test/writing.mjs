// Writing in the editor as people do.

/** The text in the editor. */
export const textOf = (page) => page.locator('.cm-content')

/** What it says, line by line. */
export const linesOf = (page) =>
  page.evaluate(() => [...document.querySelectorAll('.cm-content .cm-line')].map((line) => line.textContent).join('\n'))

/** Pastes text or files where the cursor is. */
export const paste = (page, { text, files = [] }) =>
  textOf(page).evaluate(
    (content, { pasted, sent }) => {
      const clipboardData = new DataTransfer()
      if (pasted !== undefined) clipboardData.setData('text/plain', pasted)
      for (const { name, type, bytes } of sent)
        clipboardData.items.add(new File([Uint8Array.from(bytes)], name, { type }))
      content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    },
    { pasted: text, sent: files.map(({ name, mimeType, buffer }) => ({ name, type: mimeType, bytes: [...buffer] })) },
  )

/** Replaces the whole text. */
export async function write(page, text) {
  await textOf(page).focus()
  await page.keyboard.press('Control+a')
  if (text === '') await page.keyboard.press('Delete')
  else await paste(page, { text })
}

/** Opens what is beside the text: price, category, publishing. */
export async function openDrawer(page) {
  await page
    .locator('.editor-bar')
    .getByRole('button', { name: /^(Publish|Settings)$/ })
    .click()
  await page.locator('.drawer').getByRole('button', { name: 'Close' }).waitFor()
}

export const closeDrawer = (page) => page.locator('.drawer').getByRole('button', { name: 'Close' }).click()

/** Whether everything is saved. */
export const saveState = (page, text) => page.locator('.editor-bar [role=status]').getByText(text, { exact: true })

/** Makes a part of the post paid, below the text that is there. */
export async function writePaid(page, text) {
  await textOf(page).focus()
  await page.keyboard.press('Control+End')
  await page.getByRole('button', { name: 'Paid from here' }).click()
  await page.locator('.paid-line').waitFor()
  await page.keyboard.press('Control+End')
  await paste(page, { text })
}
