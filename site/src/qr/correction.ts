// Reed-Solomon words over the field of 256 that QR codes count in (x^8 + x^4 + x^3 + x^2 + 1).

function times(a: number, b: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >> 7) * 0x11d)
    product ^= ((b >> bit) & 1) * a
  }
  return product
}

/** The words that let a reader find and mend what it misread in `data`. */
export function correction(data: Uint8Array, count: number): Uint8Array {
  const divisor = divisorOf(count)
  const rest = new Uint8Array(count)
  for (const word of data) {
    const factor = word ^ rest[0]!
    rest.copyWithin(0, 1)
    rest[count - 1] = 0
    for (let index = 0; index < count; index += 1) rest[index] = rest[index]! ^ times(divisor[index]!, factor)
  }
  return rest
}

/** (x - 1)(x - 2)(x - 4)…, its highest coefficient left out. */
function divisorOf(count: number): Uint8Array {
  const divisor = new Uint8Array(count)
  divisor[count - 1] = 1
  let root = 1
  for (let factor = 0; factor < count; factor += 1) {
    for (let index = 0; index < count; index += 1)
      divisor[index] = times(divisor[index]!, root) ^ (index + 1 < count ? divisor[index + 1]! : 0)
    root = times(root, 2)
  }
  return divisor
}
