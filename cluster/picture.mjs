import { createRequire } from 'node:module'

const sharp = createRequire(new URL('../server/package.json', import.meta.url))('sharp')

/** A small picture in any colour. */
export function picture() {
  const [r, g, b] = [0, 0, 0].map(() => Math.floor(Math.random() * 256))
  return sharp({ create: { width: 120, height: 80, channels: 3, background: { r, g, b } } })
    .png()
    .toBuffer()
}
