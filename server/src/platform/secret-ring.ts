// The file `service-secret`. Its first line is the secret that signs. Further lines, if it was rotated:
//
//   older SECRET TIME       signed until this time; what it signed is still valid
//   next SECRET             signs after the next step of a rotation; valid already, so that every process knows it before
//   lasting PURPOSE KEY     a derived key that stays, of a secret that was removed

export interface SecretRing {
  readonly current: string
  /** The newest first. */
  readonly older: readonly { readonly secret: string; readonly until: Date }[]
  readonly next: string | undefined
  readonly lasting: ReadonlyMap<string, Buffer>
}

export function readRing(text: string): SecretRing {
  const [current = '', ...lines] = text.trim().split('\n')
  const older: { secret: string; until: Date }[] = []
  const lasting = new Map<string, Buffer>()
  let next: string | undefined
  for (const line of lines) {
    const [kind, one = '', other = ''] = line.trim().split(' ')
    if (kind === 'older') older.push({ secret: one, until: new Date(other) })
    if (kind === 'next') next = one
    if (kind === 'lasting') lasting.set(one, Buffer.from(other, 'hex'))
  }
  return { current: current.trim(), older, next, lasting }
}

export function writeRing({ current, older, next, lasting }: SecretRing): string {
  return [
    current,
    ...(next === undefined ? [] : [`next ${next}`]),
    ...older.map(({ secret, until }) => `older ${secret} ${until.toISOString()}`),
    ...[...lasting].map(([purpose, key]) => `lasting ${purpose} ${key.toString('hex')}`),
  ].join('\n')
}
