// Reads a QR code off the page from a screenshot, as a phone would.
import decodeQR from 'qr/decode.js'
import sharp from 'sharp'

const retryMs = 2000

/** The text of the code that `locator` shows. */
export async function readQr(locator) {
  const { data, info } = await sharp(await locator.screenshot())
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return decodeQR({ width: info.width, height: info.height, data }, { timeLimit: retryMs })
}
