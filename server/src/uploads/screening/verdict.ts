export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'gif'

export interface ClearedImage {
  readonly format: ImageFormat
  readonly width: number
  readonly height: number
  /** Where the clean bytes are: the `outputPath` that was asked for. */
  readonly path: string
  readonly sizeBytes: number
  readonly sha256: string
}

export interface ClearedZip {
  /** The paths of its files, in the order of the archive's directory; without directories and macOS system files. */
  readonly contents: readonly string[]
  /** `complete` if every member was hashed as a picture or is plain text. */
  readonly csamCoverage: 'complete' | 'partial'
}

/** A rule of the format was broken, or its time or memory ran out; both are codes that a client may see. */
export interface Rejected {
  readonly kind: 'rejected'
  readonly reason: RejectionReason
}
/** `crashed`: the decoder ended by itself. `interrupted`: somebody killed it, which says little about the file. */
export interface Failed {
  readonly kind: 'failed'
  readonly reason: 'time-limit' | 'memory-limit' | 'crashed' | 'interrupted'
}
/** A screener knows these bytes. `reason` may be shown, `match` (what was matched) is for administrators only. */
export interface Held {
  readonly kind: 'held'
  readonly reason: 'known-picture' | 'malware' | 'scanner'
  readonly match: string
}
/** A configured screener did not answer: ask again later, clear nothing. */
export interface Unavailable {
  readonly kind: 'unavailable'
  readonly screener: ScreenerName
}

export type ScreenerName = 'decoder' | 'picture-list' | 'clamav' | 'scanner'

type NotCleared = Rejected | Failed | Held | Unavailable
export type ImageVerdict = { readonly kind: 'cleared'; readonly image: ClearedImage } | NotCleared
export type ZipVerdict = { readonly kind: 'cleared'; readonly zip: ClearedZip } | NotCleared

export type RejectionReason = ImageRejection | ZipRejection | 'file-too-large'

type ImageRejection =
  | 'not-an-image'
  | 'type-not-allowed'
  | 'mime-mismatch'
  | 'corrupt'
  | 'pixel-limit'
  | 'total-pixel-limit'
  | 'representation-limit'
  | 'frame-out-of-canvas'
  | 'metadata-limit'
  | 'scan-limit'

type ZipRejection =
  | 'not-zip'
  | 'truncated'
  | 'no-files'
  | 'prepended-data'
  | 'trailing-data'
  | 'hidden-data'
  | 'overlap'
  | 'ambiguous-eocd'
  | 'eocd-mismatch'
  | 'header-mismatch'
  | 'multi-disk'
  | 'zip64'
  | 'encrypted'
  | 'method'
  | 'stored-with-descriptor'
  | 'symlink'
  | 'special-file'
  | 'unsafe-path'
  | 'duplicate-name'
  | 'too-many-files'
  | 'member-too-large'
  | 'total-too-large'
  | 'ratio'
  | 'size-mismatch'
  | 'corrupt-data'

/** Thrown by the readers of a format: these bytes break one of its rules. */
export class BrokenRule extends Error {
  override name = 'BrokenRule'
  constructor(readonly reason: RejectionReason) {
    super(reason)
  }
}

export const broken = (reason: RejectionReason): never => {
  throw new BrokenRule(reason)
}

/** Thrown when decoding got less memory than it needed. The bytes may be fine. */
export class OutOfMemory extends Error {
  override name = 'OutOfMemory'
}
